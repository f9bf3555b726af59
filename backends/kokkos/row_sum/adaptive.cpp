// The library-style entry point: dispatches by shape. Rows of one element are copied, short or many ones go to
// teams_per_rows, few long ones to split_row. Bound by memory bandwidth; by launches for matrices below some megabytes.
//
// Where it is slower than CUDA's adaptive on an H200, at the same bytes and sectors (results' row_sum_*_counters): at
// 32 x 2^20, by 15 %: 2.8 times the instructions and eight times the branches, since each chunk is a loop with ends and
// a team's reduction goes through scratch memory (70 against 82 % of the memory's peak). At 2^20 x 32, by 21 %: eight
// sums are shuffled through a few lanes, and one lane stores them, a sector per row, where a CUDA warp stores 32 sums
// at once with 1.6 times fewer instructions (68 against 85 %).
#include "backends/kokkos/four.hpp"
#include "backends/kokkos/row_sum/dispatch.hpp"

namespace crosswarp::kokkos {
namespace {

/// In 16-byte vectors where both sides are aligned, and the up to three elements left one by one.
void copy(const Queue& queue, const RowSum::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(in.data()) | reinterpret_cast<std::uintptr_t>(out.data())) % sizeof(Four) == 0;
  const std::size_t vectors = aligned ? args.rows() / 4 : 0, left = args.rows() - 4 * vectors;
  Kokkos::parallel_for(
      range(queue, vectors + left), KOKKOS_LAMBDA(std::size_t i) {
        if (i < vectors)
          reinterpret_cast<Four*>(out.data())[i] = reinterpret_cast<const Four*>(in.data())[i];
        else
          out(i + 3 * vectors) = in(i + 3 * vectors);
      });
}

/// Elements of split_row's chunks: several per compute unit, one after the other, but at least 32 KiB.
std::size_t chunk(const Queue& queue, const RowSum::Args& args) {
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  return std::max<std::size_t>({8192, args.in.size() / (64 * units), args.columns / 4096});
}

void sum(const Queue& queue, const RowSum::Args& args) {
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  if (args.columns == 1) return copy(queue, args);
  // A thread's lanes have most of a short row in flight, and of many rows enough.
  if (args.columns <= 4096 || args.rows() >= 16 * units) return row_sum_teams_per_rows::sum(queue, args, 128);
  row_sum_split_row::sum(queue, args, chunk(queue, args));
}

const Register<RowSum> variant{{
    .idea = "dispatch by shape: a copy, several rows per team, or chunks of rows",
    .bound_by = "memory bandwidth",
    .improves = "split_row",
    .counterparts = {"adaptive"},
    .gaps = {{GapClass::tuning,
              "sums are shuffled through a few lanes, of which one stores them: a sector for each row",
              {"instructions", "dram_throughput"},
              [](const Point& point) { return point.integer("n") > 1 && point.integer("n") < 1024; }},
             {GapClass::tuning,
              "each chunk is a loop with ends, and a team's reduction goes through scratch memory",
              {"instructions", "branches", "dram_throughput"},
              [](const Point& point) { return point.integer("m") > 1 && point.integer("m") < 128; }}},
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
