// Split-K of persistent GEMMs and of fp32, second pass: adds the partial sums of the tiles that are split, and stores
// them to C. Bound by L2; with few elements in many splits by its latency.
#pragma once

#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/tensor_gemm/operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_config.hpp"
#include "backends/cuda/tensor_gemm/tile_scheduler.hpp"

namespace crosswarp::gpu {
namespace {

/// Stores four neighbouring elements, from a multiple of four on.
__device__ inline void store_quad(const Output& c, std::size_t i, const float4& sums) {
  const auto bits = [&c](float sum) -> unsigned { return c.is_bf16 ? to_bfloat16(sum).bits : to_half(sum).bits; };
  if (c.is_f32)
    *reinterpret_cast<float4*>(static_cast<float*>(c.data) + i) = sums;
  else
    *reinterpret_cast<uint2*>(static_cast<std::uint16_t*>(c.data) + i) =
        uint2{bits(sums.x) | bits(sums.y) << 16, bits(sums.z) | bits(sums.w) << 16};
}

constexpr unsigned split_tiles_block = 256;

/// Split-K's partial sums in the workspace: for each split each cluster's tile that is split, and of that each block's
/// floats_of_block().
struct SplitTiles {
  float* partials;
  TileScheduler scheduler;
  ClusterShape cluster;
  bool swapped;                      ///< The scheduler's and the cluster's tiles are those of Cᵀ.
  unsigned tile_rows, tile_columns;  ///< In C.
  unsigned rows, columns;  ///< Of a block's partial sums: those of its tile that can lie in C, of whole vectors.

  __host__ __device__ unsigned floats_of_block() const { return floats_of_sums(rows, columns); }
  __host__ __device__ unsigned floats_of_cluster() const { return cluster.size() * floats_of_block(); }
  /// Where a block of a cluster leaves the sums of the `work`th work tile, which is split: a matrix of floats.
  __device__ Output sums(const Output& c, unsigned work, unsigned block) const {
    Output tile = c;
    tile.data = partials + std::size_t{work - scheduler.whole} * floats_of_cluster() + block * floats_of_block();
    tile.is_f32 = true;
    tile.rows = rows;
    tile.columns = columns;
    return tile;
  }
};

/// Block (x, y) adds part y of block tile x. `lanes` threads share an element's splits, where elements alone are too
/// few threads. Each thread adds four neighbouring elements and has `unroll` loads in flight; past the last split it
/// loads that one again, because predicated loads would serialise. Elements outside of C, which nobody wrote, are
/// loaded, too, and dropped: the tile's place is decoded while loads are in flight.
template <unsigned lanes, unsigned unroll, class C>
__global__ void __launch_bounds__(split_tiles_block) add_split_tiles(SplitTiles tiles, C c) {
  constexpr unsigned quads = split_tiles_block / lanes;
  static_assert(floats_of_sums(1, 1) % (4 * quads) == 0);
  __shared__ float4 lane_sums[lanes][quads];
  grid_dependency_sync();
  const TileScheduler& scheduler = tiles.scheduler;
  const ClusterShape& cluster = tiles.cluster;
  const unsigned lane = threadIdx.x / quads, thread = threadIdx.x % quads;
  const std::size_t pitch = std::size_t{gridDim.x} * gridDim.y * quads;
  const float4* const partials = reinterpret_cast<const float4*>(tiles.partials) +
                                 (std::size_t{blockIdx.x} * gridDim.y + blockIdx.y) * quads + thread;
  float4 sum{};
  const auto add = [&sum](const float4& value) {
    sum.x += value.x, sum.y += value.y, sum.z += value.z, sum.w += value.w;
  };
  for (unsigned split = lane; split < scheduler.splits; split += unroll * lanes) {
    float4 values[unroll];
#pragma unroll
    for (unsigned j = 0; j < unroll; ++j)
      values[j] = partials[std::min(split + j * lanes, scheduler.splits - 1) * pitch];
#pragma unroll
    for (unsigned j = 0; j < unroll; ++j)
      if (split + j * lanes < scheduler.splits) add(values[j]);
  }
  if constexpr (lanes > 1) {
    lane_sums[lane][thread] = sum;
    __syncthreads();
    if (lane > 0) return;
#pragma unroll
    for (unsigned other = 1; other < lanes; ++other) add(lane_sums[other][thread]);
  }
  const TileCoord tile = scheduler.raster.tile(scheduler.whole + blockIdx.x / cluster.size());
  const unsigned block = blockIdx.x % cluster.size(), element = 4 * (blockIdx.y * quads + thread);
  const unsigned tile_row = tile.row * cluster.rows + block / cluster.columns;
  const unsigned tile_column = tile.column * cluster.columns + block % cluster.columns;
  const unsigned own_row = element / tiles.columns;
  const unsigned row = (tiles.swapped ? tile_column : tile_row) * tiles.tile_rows + own_row;
  const unsigned column = (tiles.swapped ? tile_row : tile_column) * tiles.tile_columns + element % tiles.columns;
  if (own_row >= tiles.rows || row >= c.rows || column >= c.columns) return;
  const std::size_t at = std::size_t{row} * c.columns + column;
  if (c.columns % 4 == 0) return store_quad(c, at, sum);
  const float sums[] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
  for (unsigned j = 0; j < 4; ++j)
    if (column + j < c.columns) c.store_at(at + j, sums[j]);
}

/// Stores a warp's sums of a tile of Cᵀ to floats that are C's: `tile_rows` of C from `first_row` on, 16 columns from
/// `first_column` on, as `sum(j)` returns them. Eight lanes store eight neighbouring floats of a row.
template <unsigned tile_rows, class Sum>
__device__ void store_swapped_sums(const Output& floats, unsigned first_row, unsigned first_column, const Sum& sum) {
  const unsigned lane = threadIdx.x % warp_size(), column = first_column + lane / 4;
  unsigned row = first_row + lane % 4 * 2;
#pragma unroll
  for (unsigned j = 0; j < tile_rows / 8; ++j) {
    float* const to = static_cast<float*>(floats.data) + std::size_t{row} * floats.columns + column;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)  // of 2 x 2: a row and eight columns apart
      if (row + i % 2 < floats.rows && column + i / 2 * 8 < floats.columns)
        to[std::size_t{i % 2} * floats.columns + i / 2 * 8] = sum(4 * j + i);
    row += 8;
    asm volatile("" : "+r"(row));  // else addresses are computed ahead, and registers spill
  }
}

/// Launches add_split_tiles(), if any tile is split.
template <class C>
void launch_add_split_tiles(const Queue& queue, const SplitTiles& tiles, const C& c) {
  if (tiles.scheduler.splits == 1) return;
  constexpr unsigned few = 1 << 15;  // quads: a fraction of a device's threads
  const unsigned blocks = tiles.scheduler.split_tiles() * tiles.cluster.size(), quads = tiles.floats_of_block() / 4;
  with_constant<1, 8>(tiles.scheduler.splits > 8 && blocks * quads < few ? 8 : 1, [&]<unsigned lanes>() {
    with_constant<4, 8>(tiles.scheduler.splits > 4 ? 8 : 4, [&]<unsigned unroll>() {
      launch(add_split_tiles<lanes, unroll, C>, dim3(blocks, quads / (split_tiles_block / lanes)), split_tiles_block, 0,
             queue, tiles, c);
    });
  });
}

}  // namespace
}  // namespace crosswarp::gpu
