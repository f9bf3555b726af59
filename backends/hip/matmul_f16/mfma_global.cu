// MFMA: one warp for each 16 x 16 tile of C, operands loaded from global memory for every 32 of k. Bound by these
// loads, which L1 and L2 serve: 8 operations for each byte.
#include "backends/hip/matmul_f16/mfma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MFMA
constexpr unsigned block = 256, warps = 4;  // their tiles are neighbours

/// Eight elements along k of one column of B. In layout nn, neighbouring lanes load neighbouring elements.
template <bool b_transposed>
[[maybe_unused]] __device__ uint4 eight_of_column(const Operand& b, unsigned column, unsigned k) {
  if constexpr (b_transposed) return b.chunk(column, k);
  const auto pair = [&](unsigned first) {
    return b.element(first, column) | unsigned{b.element(first + 1, column)} << 16;
  };
  return {pair(k), pair(k + 2), pair(k + 4), pair(k + 6)};
}

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(block)
    gemm_mfma_global([[maybe_unused]] Operand a, [[maybe_unused]] Operand b, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_MFMA
  const unsigned warp = threadIdx.x / warp_size(), lane = threadIdx.x % warp_size();
  const unsigned row_tiles = (c.rows + mfma::side - 1) / mfma::side, tile = blockIdx.x * warps + warp;
  const unsigned row = tile % row_tiles * mfma::side, column = tile / row_tiles * mfma::side;
  if (column >= c.columns) return;
  mfma::Accumulator sums = {};
  for (unsigned first = 0; first < a.columns; first += mfma::fragment_k) {
    const unsigned k = first + lane / mfma::side * 8;
    mfma::multiply<bf16>(sums, mfma::native(a.chunk(row + lane % mfma::side, k)),
                         mfma::native(eight_of_column<b_transposed>(b, column + lane % mfma::side, k)));
  }
  mfma::store(c, row, column, sums);
#endif
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, mfma::side)} * blocks_for(args.n, mfma::side);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_mfma_global<bf16, b_transposed>, blocks_for(tiles, warps), block, 0, queue, operand_a(args),
           operand_b(args), Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "MFMA (AMD's matrix instructions), one warp for each 16 x 16 tile, operands straight from memory",
    .bound_by = "operand loads from L1 and L2",
    .improves = "naive",
    .counterparts = {"wmma_global"},
    .needs = {"mfma"},
#if CROSSWARP_HAS_MFMA
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
