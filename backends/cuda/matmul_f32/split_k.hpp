// Split-K: several blocks per tile of C, each with a share of k; a second pass adds their partial sums. All tiles are
// split, or only the last ones, which would leave most of the device idle.
#pragma once

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/matmul_f32/register_prefetch.hpp"
#include "backends/cuda/tensor_gemm/work_tiles.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// How many blocks share a tile. The first `whole` tiles, fewer than all, are not split. One split is an ordinary gemm.
struct Splits {
  unsigned count = 1, whole = 0;
};

/// The layout of tiles, and of partial sums where the last tiles alone are split, which fp32 shares with the persistent
/// GEMM.
inline PersistentConfig split_config(unsigned tile_m, unsigned tile_n, const Splits& splits) {
  return {
      .rows = tile_m, .columns = tile_n, .cluster = {1, 1}, .raster = 8, .splits = splits.count, .whole = splits.whole};
}

namespace matmul_f32_split_k {

/// The kernel of split_k.cu, for LargeTile: register_prefetch's with split-K. Requires m, n > 0 and a workspace of
/// split_k_workspace() bytes.
template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args, const Splits& splits);

}  // namespace matmul_f32_split_k
}  // namespace CROSSWARP_PLATFORM
namespace {

/// C as the output of add_partials(), whose partial sums have rows of `pitch` floats.
struct ReducedC {
  float* c;
  std::size_t n, pitch;

  __device__ void store_at(std::size_t i, float sum) const {
    if (n == pitch) {
      c[i] = sum;
    } else if (const std::size_t column = i % pitch; column < n) {
      c[i / pitch * n + column] = sum;
    }
  }
};

/// C as the output of add_split_tiles().
struct SummedC {
  float* data;
  unsigned rows, columns;

  __device__ void store_at(std::size_t i, float sum) const { data[i] = sum; }
};

__device__ inline void store_quad(const SummedC& c, std::size_t i, const float4& sums) {
  *reinterpret_cast<float4*>(c.data + i) = sums;
}

/// Rows of partial sums are whole vectors.
inline std::size_t partials_pitch(std::size_t n) { return (n + 3) / 4 * 4; }

/// Of partial sums: C for each split where all tiles are split, else tile by tile.
inline std::size_t split_k_bytes(std::size_t m, std::size_t n, unsigned tile_m, unsigned tile_n, const Splits& splits) {
  if (splits.count == 1) return 0;
  if (splits.whole == 0) return splits.count * m * partials_pitch(n) * sizeof(float);
  return split_config(tile_m, tile_n, splits).workspace_bytes(m, n);
}
template <class Tile>
std::size_t split_k_workspace(const MatmulF32::Args& args, const Splits& splits) {
  return split_k_bytes(args.m, args.n, Tile::m, Tile::n, splits);
}

/// Steps of k that a block multiplies for its work tile.
struct KInterval {
  std::size_t begin, end;
};
template <class Tile>
__device__ KInterval k_range(const GemmProblem& gemm, const WorkTile& work) {
  const std::size_t begin = std::size_t{work.first_k_tile} * Tile::k, end = begin + std::size_t{work.k_tiles} * Tile::k;
  return {begin, end < gemm.k ? end : gemm.k};
}

/// The partial sums of work tile `work`, which is split, as a C of one tile.
__device__ inline GemmProblem partial_sums(GemmProblem gemm, const SplitTiles& tiles, unsigned work) {
  gemm.c = tiles.partials + std::size_t{work - tiles.scheduler.whole} * tiles.floats_of_block();
  gemm.m = tiles.rows;
  gemm.n = gemm.c_pitch = tiles.columns;
  return gemm;
}

/// The kernels of a tile: for tiles that are all whole or all split, by a grid of tiles x splits, and for last tiles
/// that alone are split. Two, since with work tiles ptxas orders the main loop otherwise, and sums of C for each split
/// are added by more threads.
struct SplitKernels {
  void (*all_alike)(GemmProblem);
  void (*last_split)(GemmProblem, SplitTiles);
};

/// Launches a block for each share of a tile, then the pass that adds the partial sums. Requires m, n > 0.
template <class Tile>
void launch_splits(const SplitKernels& kernels, const Queue& queue, const MatmulF32::Args& args, const Splits& splits) {
  GemmProblem gemm = gemm_problem<Tile>(args);
  float* const partials = reinterpret_cast<float*>(queue.workspace.data());
  if (splits.whole > 0) {
    const SplitTiles tiles =
        work_tiles(split_config(Tile::m, Tile::n, splits), args.m, args.n, blocks_for(args.k, Tile::k), partials);
    if (tiles.scheduler.splits > 1) {
      launch_spread(kernels.last_split, tiles.scheduler.count(), Tile::threads, Tile::shared_bytes, queue, gemm, tiles);
      launch_add_split_tiles(queue, tiles,
                             SummedC{args.c.data(), static_cast<unsigned>(args.m), static_cast<unsigned>(args.n)});
      return;
    }
  }
  const unsigned count = splits.whole > 0 ? 1 : splits.count;
  gemm.k_per_split = std::size_t{blocks_for(blocks_for(args.k, Tile::k), count)} * Tile::k;
  if (count > 1) gemm.c = partials, gemm.c_pitch = partials_pitch(args.n);
  launch_spread(kernels.all_alike, dim3(gemm.tiles_n * gemm.tiles_m, count), Tile::threads, Tile::shared_bytes, queue,
                gemm);
  if (count > 1)
    launch_add_partials(queue, args.m * gemm.c_pitch, count, args.m * gemm.c_pitch,
                        ReducedC{args.c.data(), args.n, gemm.c_pitch});
}

}  // namespace
}  // namespace crosswarp::gpu
