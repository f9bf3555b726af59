// An element of C an iteration of a two-dimensional range, its row of A and its column of B from memory: the lines that
// everybody writes first. Bound by the queue of loads, two for each multiply-add.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

void multiply(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const auto a = array(args.a), b = array(args.b);
  const auto c = array(args.c);
  const std::size_t n = args.n, k = args.k;
  using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  // On a GPU neighbouring threads have neighbouring first indices: columns, which lie beside each other.
  const Range elements(queue.exec, {0, 0}, {static_cast<std::int64_t>(n), static_cast<std::int64_t>(args.m)});
  Kokkos::parallel_for(
      elements, KOKKOS_LAMBDA(std::int64_t column, std::int64_t row) {
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        float sum = 0;
        for (std::size_t l = 0; l < k; ++l) sum += a(i * k + l) * b(l * n + j);
        c(i * n + j) = sum;
      });
}

const Register<MatmulF32> variant{{
    .idea = "an MDRangePolicy over the elements of C, each a loop over k: bound by the queue of loads",
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::kokkos
