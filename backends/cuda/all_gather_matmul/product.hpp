// A rank's product with some rows of A: the persistent GEMM of bfloat16 (TMA, wgmma) where the device has these and
// rows of A begin at multiples of 16 bytes, else tiles in shared memory, for any shape and any device.
#pragma once

#include "backends/cuda/device/ranks.hpp"
#include "backends/cuda/tensor_gemm/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"
#include "experiments/all_gather_matmul.hpp"

#if CROSSWARP_HAS_PEERS

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile_side = 32, tile_threads = 256;

/// A k-tile, rows along k, padded so that a warp's 32 rows of an element are in different banks.
using Tile32 = float[tile_side][tile_side + 1];

/// A block multiplies 32 x 32 elements of C, a thread four of a column. B is transposed. Dynamic shared memory for two
/// k-tiles: of static one the emulation has a copy for all ranks.
__global__ void __launch_bounds__(tile_threads) multiply_tile(Operand a, Operand b, Output c) {
  Tile32 &tile_a = dynamic_shared<Tile32>()[0], &tile_b = dynamic_shared<Tile32>()[1];
  constexpr unsigned step = tile_threads / tile_side, count = tile_side / step;
  const unsigned row_tiles = (c.rows + tile_side - 1) / tile_side;
  const unsigned row = blockIdx.x % row_tiles * tile_side, column = blockIdx.x / row_tiles * tile_side;
  const unsigned x = threadIdx.x % tile_side, y = threadIdx.x / tile_side;
  float sums[count] = {};
  for (unsigned k = 0; k < a.columns; k += tile_side) {
    __syncthreads();  // the previous k-tile has been multiplied
    for (unsigned i = 0; i < count; ++i) {
      tile_a[y + i * step][x] = widened(Bfloat16{a.element(row + y + i * step, k + x)});
      tile_b[y + i * step][x] = widened(Bfloat16{b.element(column + y + i * step, k + x)});
    }
    __syncthreads();
    for (unsigned l = 0; l < tile_side; ++l)
      for (unsigned i = 0; i < count; ++i) sums[i] += tile_a[y + i * step][l] * tile_b[x][l];
  }
  for (unsigned i = 0; i < count; ++i) c.store(row + y + i * step, column + x, sums[i]);
}

#if CROSSWARP_HAS_PTX

using PersistentTileOf = PersistentTile<2, 256>;  // 128 x 256

#if CROSSWARP_TARGET_HAS_WGMMA
/// Of persistent_gemm(): k-tiles of 128 bytes, both operands with rows along k.
struct WgmmaBf16 {
  static constexpr bool a_is_transposed = false, b_is_transposed = true, is_bf16 = true;

  /// Issues a k-tile's instructions as one group: 64 rows at the shared address `a`, 256 columns at `b`. Without
  /// `accumulate` the old accumulators are dropped.
  __device__ static void multiply(float (&d)[128], unsigned a, unsigned b, bool accumulate) {
    constexpr std::uint64_t layout = wgmma_layout(16, 8 * row_bytes, WgmmaSwizzle::bytes_128);
    constexpr unsigned bytes = 32;  // of an instruction, along k
    const std::uint64_t first_a = wgmma_descriptor(a, layout), first_b = wgmma_descriptor(b, layout);
    wgmma_fence();
#pragma unroll
    for (unsigned i = 0; i < row_bytes / bytes; ++i)
      asm volatile(
          "{\n.reg .pred accumulate;\nsetp.ne.b32 accumulate, %130, 0;\n"
          "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" CROSSWARP_WGMMA_128_REGISTERS
          "}, %128, %129, accumulate, 1, 1, 0, 0;\n}"
          : CROSSWARP_WGMMA_128_ACC("+f", d)
          : "l"(first_a + i * (bytes >> 4)), "l"(first_b + i * (bytes >> 4)),
            "r"(static_cast<int>(accumulate || i > 0)));
    wgmma_commit_group();
  }
};
#endif

__global__ void __launch_bounds__(PersistentTileOf::threads, 1)
    multiply_persistent([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                        [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                        [[maybe_unused]] const __grid_constant__ CUtensorMap c,
                        [[maybe_unused]] const PersistentPlan plan, [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  persistent_gemm<WgmmaBf16, false, PersistentTileOf>(a, b, c, plan, out, Unscaled());
#endif
}

/// Pairs of blocks share columns of B. Where others have multiprocessors, which may break up pairs, blocks are alone.
inline ClusterShape cluster_beside(unsigned reserved) { return reserved > 0 ? ClusterShape{1, 1} : ClusterShape{2, 1}; }

inline unsigned resident_clusters(const Queue& queue, unsigned reserved) {
  const ClusterShape cluster = cluster_beside(reserved);
  const unsigned all = count_resident_clusters<PersistentTileOf>(queue, multiply_persistent, cluster);
  if (all <= reserved) throw Error("no multiprocessor is left to multiply");
  return all - reserved;
}

/// launch_persistent() on all multiprocessors but `reserved` ones. Its blocks divide the tiles among themselves before
/// they run: one that had to wait for a multiprocessor would double the time.
inline void launch_persistent_beside(const Queue& queue, const MatmulF16::Args& product, unsigned reserved) {
  using Tile = PersistentTileOf;
  const PersistentConfig config{
      .rows = Tile::rows, .columns = Tile::columns, .cluster = cluster_beside(reserved), .raster = 8};
  const Output out(product);
  const PersistentPlan plan = plan_for<Tile>(config, out, blocks_for(product.k, tile_k), nullptr, false);
  launch_plan<Tile>(queue, multiply_persistent, plan, resident_clusters(queue, reserved), operands(product), true, out);
}

/// Of Variant::prepare: kernels that a rank launches behind a barrier of ranks are loaded before.
inline void preload_product(const Queue& queue, unsigned reserved) {
  preload(multiply_tile);
  preload(meet<Flags>);
  if (!has_persistent_gemm(queue)) return;
  resident_clusters(queue, 0);
  resident_clusters(queue, reserved);
}
#else
inline void preload_product(const Queue&, unsigned) {}
#endif

/// c = a·B, where `a` has rows of A, in this rank's or in a peer's memory, and `c` as many rows of C. On all
/// multiprocessors but `reserved` ones, which others are to have meanwhile.
inline void multiply(const Queue& queue, const AllGatherMatmul::Args& args, std::span<const Bfloat16> a,
                     std::span<Bfloat16> c, [[maybe_unused]] unsigned reserved = 0) {
  const auto bits = [](std::span<const Bfloat16> matrix) {
    return std::span(reinterpret_cast<const std::uint16_t*>(matrix.data()), matrix.size());
  };
  const MatmulF16::Args product{.a = bits(a),
                                .b = bits(args.b),
                                .c = std::as_writable_bytes(c),
                                .m = args.columns == 0 ? 0 : c.size() / args.columns,
                                .n = args.columns,
                                .k = args.k,
                                .bf16 = true,
                                .b_transposed = true,
                                .f32_out = false};
  if (finish_if_empty(queue, product)) return;
#if CROSSWARP_HAS_PTX
  if (has_persistent_gemm(queue) && operands(product).are_aligned())
    return launch_persistent_beside(queue, product, reserved);
#endif
  const std::size_t tiles = std::size_t{blocks_for(product.m, tile_side)} * blocks_for(product.n, tile_side);
  launch(multiply_tile, blocks_for(tiles, 1), tile_threads, 2 * sizeof(Tile32), queue, operand_a(product),
         operand_b(product), Output(product));
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
