// Warp specialization: one thread loads k-tiles by TMA into a ring, full and empty mbarriers hand them to two
// warpgroups that only multiply (wgmma), which reads floats and drops their last 13 bits. 3xTF32 is such a product of
// three times the depth: a pass before splits A into (high, high, low) and B into (high, low, high) along k. Requires
// rows of A and B at multiples of 16 bytes. Bound by the matrix units within a tile, and by shared memory.
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/matmul_tf32/operands.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// As TMA requires of rows.
bool has_rows_of_16_bytes(const Point& point) { return point.integer("k") % 4 == 0; }

constexpr unsigned consumers = 2, threads = (consumers + 1) * warpgroup_size;  // warpgroups; the last one loads
constexpr unsigned rows = consumers * 64, columns = 256;                       // of a block's tile
constexpr unsigned stages = 4, tile_floats = row_bytes / sizeof(float);        // along k
using Ring = OperandRing<rows, columns, stages>;

constexpr unsigned split_block = 256;

/// Writes a matrix's three parts, `k` columns each: high, and low in part `low_part`; the other one is high again.
__global__ void __launch_bounds__(split_block)
    split_operand(const float* from, std::size_t size, std::size_t k, float* to, unsigned low_part) {
  const std::size_t i = std::size_t{blockIdx.x} * split_block + threadIdx.x;
  if (i >= size) return;
  const float value = from[i], high = cut_to_tf32(value), low = value - high;
  float* const row = to + i / k * 3 * k + i % k;
  row[0] = high;
  row[k] = low_part == 1 ? low : high;
  row[2 * k] = low_part == 2 ? low : high;
}

__global__ void __launch_bounds__(threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] unsigned k_tiles,
                [[maybe_unused]] Raster raster, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  __shared__ Pipeline<stages> pipeline;
  const Ring ring{uniform_in_warp(shared_address(swizzle_aligned_shared()))};
  const TileCoord tile = raster.tile(blockIdx.x);
  const unsigned row = tile.row * rows, column = tile.column * columns;
  if (threadIdx.x == 0) pipeline.init(consumers * warpgroup_size / warp_size());
  __syncthreads();

  const unsigned group = uniform_in_warp(threadIdx.x / warpgroup_size),
                 warp = uniform_in_warp(threadIdx.x / warp_size());
  PipelineState state;
  if (group == consumers) {  // the producer
    setmaxnreg_dec<40>();
    if (threadIdx.x % warpgroup_size != 0) return;
    for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile, state.advance(stages)) {
      Mbarrier* const full = pipeline.producer_acquire(state, Ring::stage_bytes);
      tma_load(ring.a(state.index), a, row, k_tile * tile_floats, full);
      tma_load(ring.b(state.index), b, column, k_tile * tile_floats, full);
    }
    return;
  }

  setmaxnreg_inc<232>();
  TileSums<float, false, columns> sums;
  const auto release = [&](unsigned stage) {
    if (threadIdx.x % warp_size() == 0) pipeline.consumer_release(stage);
  };
  for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile, state.advance(stages)) {
    pipeline.consumer_wait(state);
    sums.add(k_tile, state.index, ring.a(state.index) + group * 64 * row_bytes, ring.b(state.index), release);
  }
  sums.finish(release);
  c.store_fragment<true>(row + 16 * warp, column, sums.sums());
#endif
}

/// Of the split operands.
std::size_t workspace(const Queue&, const MatmulTf32::Args& args) {
  return args.split ? 3 * (args.a.size_bytes() + args.b.size_bytes()) : 0;
}

/// A map of floats, `k` in a row.
CUtensorMap map_of(const float* data, std::size_t rows_in_all, std::size_t k, unsigned box_rows) {
  return tensor_map(data, extent(rows_in_all), extent(k), extent(k), box_rows, true);
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const float *a = args.a.data(), *b = args.b.data();
  std::size_t k = args.k;
  if (args.split) {
    auto* const split_a = reinterpret_cast<float*>(queue.workspace.data());
    auto* const split_b = split_a + 3 * args.a.size();
    launch(split_operand, blocks_for(args.a.size(), split_block), split_block, 0, queue, a, args.a.size(), k, split_a,
           2u);
    launch(split_operand, blocks_for(args.b.size(), split_block), split_block, 0, queue, b, args.b.size(), k, split_b,
           1u);
    a = split_a;
    b = split_b;
    k *= 3;
  }
  const Raster raster{blocks_for(args.m, rows), blocks_for(args.n, columns),
                      static_cast<unsigned>(queue.tuning["raster"])};
  const Output c(MatmulF16::Args{.a = {},
                                 .b = {},
                                 .c = std::as_writable_bytes(args.c),
                                 .m = args.m,
                                 .n = args.n,
                                 .k = args.k,
                                 .bf16 = true,
                                 .b_transposed = true,
                                 .f32_out = true});
  launch(gemm_kernel, raster.count(), threads, Ring::bytes, queue, map_of(a, args.m, k, rows),
         map_of(b, args.n, k, columns), blocks_for(k, tile_floats), raster, c);
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "TMA loads by one thread, two warpgroups multiply (wgmma); 3xTF32 as a product of three times the depth",
    .bound_by = "the matrix units within a tile, latency between tiles",
    .improves = "naive",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 16}}}, {{{"raster", 8}}}, {{{"raster", 1}}}},
    .applies = has_rows_of_16_bytes,
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
