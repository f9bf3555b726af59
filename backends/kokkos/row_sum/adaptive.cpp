// What a user would call: rows of one element copied, short ones several a team, long ones in chunks, by shape. Bound
// by memory; by launches for matrices below some megabytes.
//
// Where it stays behind CUDA on an H200, at the same bytes and sectors (results' row_sum_*_counters). At 32 x 2^20, by
// 15 %: 2.8 times the instructions and eight times the branches, since each chunk is a loop with ends, and a reduction
// of a team through scratch memory: 70 % of the memory's rate, 82 % there. At 2^20 x 32, by 21 %: eight sums are
// shuffled through a few lanes, of which one stores them, a sector for each row, where a warp of CUDA's stores 32 sums
// at once, and has 1.6 times fewer instructions: 68 % of the memory's rate, 85 % there.
#include "backends/kokkos/row_parts.hpp"

namespace crosswarp::kokkos {
namespace {

/// Whether a row is one thread's: its lanes have most of a short one in flight, and of many rows enough are.
bool are_rows_of_threads(const Queue& queue, const RowSum::Args& args) {
  return args.columns <= 4096 || args.rows() >= 16 * static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
}

/// By Fours where they are aligned, and the up to three floats that are left by themselves.
void copy(const Queue& queue, const RowSum::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(in.data()) | reinterpret_cast<std::uintptr_t>(out.data())) % sizeof(Four) == 0;
  const std::size_t fours = aligned ? args.rows() / 4 : 0, left = args.rows() - 4 * fours;
  Kokkos::parallel_for(
      range(queue, fours + left), KOKKOS_LAMBDA(std::size_t i) {
        if (i < fours)
          reinterpret_cast<Four*>(out.data())[i] = reinterpret_cast<const Four*>(in.data())[i];
        else
          out(i + 3 * fours) = in(i + 3 * fours);
      });
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.columns == 1) return copy(queue, args);
  if (args.columns <= 512 && rows_are_of_fours(args)) return sum_short_rows(queue, args, 128);
  if (are_rows_of_threads(queue, args)) return sum_by_threads(queue, args, 128);
  sum_by_chunks(queue, args, Chunks::fitting(queue, args), 256);
}

const Register<RowSum> variant{{
    .idea = "copies, several rows a team, or chunks of rows, by shape: bound by memory",
    .improves = "split_row",
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
