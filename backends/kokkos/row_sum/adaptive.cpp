// The library-style entry point: dispatches by shape and alignment. Rows of one element are copied; many short ones go
// to tile_sums or, unaligned, to scratch_tile; few short ones, and those of some kilobytes, to row_per_thread; long
// ones to split_row. Bound by memory bandwidth; by launches for matrices below some megabytes.
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

/// Elements of split_row's chunks: about two teams for each that a GPU holds at once, but 32 to 256 KiB.
std::size_t chunk(const Queue& queue, const RowSum::Args& args) {
  constexpr std::size_t shortest = 8192, longest = 65'536, resident = 8;
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  return std::max(std::clamp(args.in.size() / (2 * resident * units), shortest, longest), args.columns / 4096);
}

void sum(const Queue& queue, const RowSum::Args& args) {
  const auto units = static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
  const bool are_vectors =
      args.columns % 4 == 0 && reinterpret_cast<std::uintptr_t>(args.in.data()) % sizeof(Four) == 0;
  if (args.columns == 1) return copy(queue, args);
  if constexpr (is_asynchronous) {
    // With few rows latency takes the time: one load after the other, and barriers.
    if (args.columns <= 1024 && args.rows() < 16 * units) return row_sum_row_per_thread::sum(queue, args, 8);
    if (args.columns <= 1024 && are_vectors) return row_sum_tile_sums::sum(queue, args);
    if (args.columns <= 256) return row_sum_scratch_tile::sum(queue, args);
    // All loads of a row are in flight at once, or nearly; but few rows would leave the device idle.
    if (args.columns <= 2048 || (args.columns <= 4096 && args.rows() >= 16 * units))
      return row_sum_row_per_thread::sum(queue, args, 16);
  } else {  // a core reads rows one after the other, without scratch memory in between
    if (args.columns <= 4096 || args.rows() >= 16 * units) return row_sum_teams_per_rows::sum(queue, args, 128);
  }
  row_sum_split_row::sum(queue, args, chunk(queue, args));
}

const Register<RowSum> variant{{
    .idea = "dispatch by shape and alignment: a copy, tiles of rows in scratch, a row per thread, or chunks of rows",
    .bound_by = "memory bandwidth",
    .improves = "split_row",
    .counterparts = {"adaptive"},
    .gaps = {{GapClass::tuning,
              "a team's nested loops branch more often than unrolled loads, which a matrix this small does not hide",
              {"instructions", "branches", "dram_throughput"},
              [](const Point& point) {
                return point.integer("n") % 4 == 0 && point.integer("m") * point.integer("n") <= 1 << 23;
              }}},
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
