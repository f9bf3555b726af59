// An element of C an iteration of a two-dimensional range, its row of A and its column of B from memory: the lines that
// everybody writes first. Bound by the queue of loads, two for each multiply-add. With the tile that Kokkos chooses
// (columns 0) it takes 2.6 times as long as CUDA's naive_16x16 at 4096 on an H200: blocks of one warp, of which a
// multiprocessor holds 32, half of what it could, and which share less in L1 (49 against 91 % of its requests hit).
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;

/// A tile of 0 x 0 is Kokkos's own choice.
Range elements_of(const Queue& queue, const MatmulF32::Args& args) {
  const Range::point_type first{0, 0}, last{static_cast<std::int64_t>(args.n), static_cast<std::int64_t>(args.m)};
  const std::int64_t columns = queue.tuning["columns"], rows = queue.tuning["rows"];
  return columns == 0 ? Range(queue.exec, first, last) : Range(queue.exec, first, last, {columns, rows});
}

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const auto a = array(args.a), b = array(args.b);
  const auto c = array(args.c);
  const std::size_t n = args.n, k = args.k;
  // On a GPU neighbouring threads have neighbouring first indices: columns, which lie beside each other.
  Kokkos::parallel_for(
      elements_of(queue, args), KOKKOS_LAMBDA(std::int64_t column, std::int64_t row) {
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        float sum = 0;
        for (std::size_t l = 0; l < k; ++l) sum += a(i * k + l) * b(l * n + j);
        c(i * n + j) = sum;
      });
}

const Register<MatmulF32> variant{{
    .idea = "an MDRangePolicy over the elements of C, each a loop over k: bound by the queue of loads",
    .tunings = {{{{"columns", 0}, {"rows", 0}}}, {{{"columns", 32}, {"rows", 8}}}},
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::kokkos
