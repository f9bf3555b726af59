// MDRangePolicy over C, one element per iteration, operands from memory: the obvious first version. Bound by loads: two
// for each multiply-add.
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::kokkos {
namespace {

using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  if (args.c.empty()) return;
  const auto a = array(args.a), b = array(args.b);
  const auto c = array(args.c);
  const std::size_t n = args.n, k = args.k;
  // On a GPU the first index runs fastest over threads: columns, for coalesced access. The tile is stated: Kokkos's own
  // is a poor one (matmul_f32's mdrange_naive).
  const Range elements(queue.exec, {0, 0}, {static_cast<std::int64_t>(n), static_cast<std::int64_t>(args.m)}, {32, 8});
  Kokkos::parallel_for(
      elements, KOKKOS_LAMBDA(std::int64_t column, std::int64_t row) {
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        double sum = 0;
        for (std::size_t l = 0; l < k; ++l) sum += a(i * k + l) * b(l * n + j);
        c(i * n + j) = sum;
      });
}

const Register<MatmulF64> variant{{
    .idea = "MDRangePolicy over C, one element per iteration",
    .bound_by = "latency of loads: two global loads per multiply-add",
    .counterparts = {"naive"},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
