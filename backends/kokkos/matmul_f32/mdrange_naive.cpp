// MDRangePolicy over C, one element per iteration, operands from memory: the obvious first version. Bound by the load
// queue: two loads per multiply-add. The tile is stated: Kokkos's own default (columns 0; kokkos#8731) takes 2.6 times
// as long as CUDA's naive_16x16 at 4096 on an H200, since it launches blocks of one warp, of which 32 are resident
// (half of a multiprocessor's warps), and they share less in L1 (hit rate 49 against 91 %).
#include "backends/kokkos/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::kokkos {
namespace {

using Range = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;

/// columns 0: Kokkos chooses the tile.
Range elements_of(const Queue& queue, const MatmulF32::Args& args) {
  const Range::point_type first{0, 0}, last{static_cast<std::int64_t>(args.n), static_cast<std::int64_t>(args.m)};
  const std::int64_t columns = queue.tuning["columns"], rows = queue.tuning["rows"];
  return columns == 0 ? Range(queue.exec, first, last) : Range(queue.exec, first, last, {columns, rows});
}

void gemm(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const auto a = array(args.a), b = array(args.b);
  const auto c = array(args.c);
  const std::size_t n = args.n, k = args.k;
  // On a GPU the first index runs fastest over threads: columns, for coalesced access.
  Kokkos::parallel_for(
      elements_of(queue, args), KOKKOS_LAMBDA(std::int64_t column, std::int64_t row) {
        const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column);
        float acc = 0;
        for (std::size_t l = 0; l < k; ++l) acc += a(i * k + l) * b(l * n + j);
        c(i * n + j) = acc;
      });
}

Tuning tuning(int columns, int rows) { return {{{"columns", columns}, {"rows", rows}}}; }

const Register<MatmulF32> variant{{
    .idea = "MDRangePolicy over C, one element per iteration",
    .bound_by = "latency of loads: two global loads per multiply-add",
    .counterparts = {"naive_16x16", "naive_32x8"},
    .tunings = {tuning(32, 8), tuning(0, 0), tuning(16, 16), tuning(32, 4), tuning(32, 16), tuning(64, 4),
                tuning(128, 2)},
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::kokkos
