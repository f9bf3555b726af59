// MFMA on double-buffered shared-memory tiles: the next k-tile is loaded into registers while the present one is
// multiplied, and stored into the other buffer; one barrier per k-tile. An XOR swizzle in place of padding keeps both
// buffers within half of a compute unit's 64 KiB, for two blocks. Bound at best by the matrix units: shared memory
// needs three quarters of their time (MI300X, by its data sheet).
#include "backends/hip/matmul_f16/mfma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MFMA
[[maybe_unused]] constexpr unsigned tile_elements = mfma::tile_side * mfma::tile_k;

/// Two lines fill all 32 banks. The 16-byte chunks of each further pair of lines are permuted, so that the same chunk
/// of eight lines, which eight lanes load together, lies in different banks.
[[maybe_unused]] __device__ inline unsigned swizzled(unsigned line, unsigned k) {
  return line * mfma::tile_k + ((k / 8) ^ (line / 2 % 4)) * 8 + k % 8;
}

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(mfma::block, 2)
    gemm_mfma_double_buffer([[maybe_unused]] Operand a, [[maybe_unused]] Operand b, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_MFMA
  alignas(16) __shared__ std::uint16_t tiles_a[2][tile_elements], tiles_b[2][tile_elements];
  const unsigned row_tiles = (c.rows + mfma::tile_side - 1) / mfma::tile_side;
  const unsigned row = blockIdx.x % row_tiles * mfma::tile_side, column = blockIdx.x / row_tiles * mfma::tile_side;
  const auto at = [](unsigned line, unsigned k) { return swizzled(line, k); };

  mfma::Quarter quarter;
  mfma::Share<true> share_a;
  mfma::Share<b_transposed> share_b;
  const auto load = [&](unsigned k) {
    share_a.load(a, row, k);
    share_b.load(b, column, k);
  };
  const auto store = [&](unsigned buffer) {
    share_a.store(tiles_a[buffer], at);
    share_b.store(tiles_b[buffer], at);
    __syncthreads();
  };
  load(0);
  store(0);
  unsigned buffer = 0;
  for (unsigned next = mfma::tile_k; next < a.columns; next += mfma::tile_k) {
    load(next);
    quarter.add<bf16>(tiles_a[buffer], tiles_b[buffer], at);
    __builtin_amdgcn_sched_barrier(0);  // else the store, and with it the wait for the load, comes before half of this
    buffer ^= 1;
    store(buffer);  // all warps have read it: they have passed the barrier behind the present tile's store since
  }
  quarter.add<bf16>(tiles_a[buffer], tiles_b[buffer], at);
  quarter.store(c, row, column);
#endif
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const std::size_t tiles = std::size_t{blocks_for(args.m, mfma::tile_side)} * blocks_for(args.n, mfma::tile_side);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_mfma_double_buffer<bf16, b_transposed>, blocks_for(tiles, 1), mfma::block, 0, queue, operand_a(args),
           operand_b(args), Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "MFMA on double-buffered, swizzled tiles in shared memory, loaded ahead by way of registers",
    .bound_by = "at best the matrix units; shared memory needs three quarters of their time",
    .improves = "mfma_shared",
    .counterparts = {"mma_multistage"},
    .needs = {"mfma"},
#if CROSSWARP_HAS_MFMA
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
