// MFMA on shared-memory tiles: each element is read from memory once for 128 of the other operand. B of layout nn is
// transposed on the way, so that both operands are loads of 16 bytes along k. Lines are padded by 16 bytes, without
// which most of these loads are bank conflicts. Bound by the barriers between the load of a tile and its use.
#include "backends/hip/matmul_f16/mfma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MFMA
[[maybe_unused]] constexpr unsigned pitch = mfma::tile_k + 8;

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(mfma::block)
    gemm_mfma_shared([[maybe_unused]] Operand a, [[maybe_unused]] Operand b, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_MFMA
  alignas(16) __shared__ std::uint16_t tile_a[mfma::tile_side * pitch], tile_b[mfma::tile_side * pitch];
  const unsigned row_tiles = (c.rows + mfma::tile_side - 1) / mfma::tile_side;
  const unsigned row = blockIdx.x % row_tiles * mfma::tile_side, column = blockIdx.x / row_tiles * mfma::tile_side;
  const auto at = [](unsigned line, unsigned k) { return line * pitch + k; };

  mfma::Quarter quarter;
  for (unsigned k = 0; k < a.columns; k += mfma::tile_k) {
    mfma::Share<true> share_a;
    mfma::Share<b_transposed> share_b;
    share_a.load(a, row, k);
    share_b.load(b, column, k);
    __syncthreads();  // the previous tiles have been read
    share_a.store(tile_a, at);
    share_b.store(tile_b, at);
    __syncthreads();
    quarter.add<bf16>(tile_a, tile_b, at);
  }
  quarter.store(c, row, column);
#endif
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, mfma::tile_side)} * blocks_for(args.n, mfma::tile_side);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_mfma_shared<bf16, b_transposed>, blocks_for(tiles, 1), mfma::block, 0, queue, operand_a(args),
           operand_b(args), Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "MFMA on tiles in padded shared memory",
    .bound_by = "the barriers between the load of a tile and its use",
    .improves = "mfma_global",
    .counterparts = {"wmma_shared"},
    .needs = {"mfma"},
#if CROSSWARP_HAS_MFMA
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
