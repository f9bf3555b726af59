// What a user would call: rows of one element copied, short ones several a team, long ones in chunks, by shape. Bound
// by memory; by launches for matrices below some megabytes.
#include "backends/kokkos/row_parts.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr std::size_t longest_of_threads = 4096;  // elements of a row: one thread's lanes have most of it in flight

std::size_t workspace(const Queue& queue, const RowSum::Args& args) {
  return args.columns <= longest_of_threads ? 0 : Chunks::fitting(queue, args).workspace(args);
}

void copy(const Queue& queue, const RowSum::Args& args) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  Kokkos::parallel_for(
      range(queue, args.rows()), KOKKOS_LAMBDA(std::size_t row) { out(row) = in(row); });
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.columns == 1) return copy(queue, args);
  if (args.columns <= 512 && rows_are_of_fours(args)) return sum_short_rows(queue, args, 128);
  if (args.columns <= longest_of_threads) return sum_by_threads(queue, args, 128);
  sum_by_chunks(queue, args, Chunks::fitting(queue, args), 256);
}

const Register<RowSum> variant{{
    .idea = "copies, several rows a team, or chunks of rows, by shape: bound by memory",
    .improves = "split_row",
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
