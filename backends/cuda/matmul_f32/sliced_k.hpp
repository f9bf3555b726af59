// Sliced-K: groups of warps share a block tile and split each k-tile (intra-block split-K), which brings enough warps
// to tiles too small for them. Operands come by a cp.async pipeline, as in double_buffer. Bound by the issue of
// multiply-adds: small thread tiles reuse little of each 16-byte load.
#pragma once

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/matmul_f32/split_k.hpp"

namespace crosswarp::gpu {
namespace {

/// A block computes m × n elements of C in k-tiles of depth k, a thread thread_m × thread_n of them. Each of the slices
/// has accumulators for the whole tile and every slices-th four steps of k; a reduction adds them at the end.
template <unsigned m_, unsigned n_, unsigned k_, unsigned thread_m_, unsigned thread_n_, unsigned stages_,
          unsigned slices_, unsigned min_blocks_>
struct SlicedTile {
  static constexpr unsigned m = m_, n = n_, k = k_, thread_m = thread_m_, thread_n = thread_n_;
  static constexpr unsigned stages = stages_, slices = slices_;
  static constexpr unsigned min_blocks = min_blocks_;  ///< Resident per multiprocessor: the limit on registers.
  static constexpr unsigned warp_m = 8 * thread_m, warp_n = 4 * thread_n;
  static constexpr unsigned slice_threads = 32 * (m / warp_m * (n / warp_n)), threads = slice_threads * slices;
  static constexpr unsigned a_pitch = k + 4;  ///< Row-major A; 16-byte loads of eight rows go to different banks.
  static constexpr unsigned a_floats = m * a_pitch, stage_floats = a_floats + k * n;
  static constexpr unsigned reduction_floats = slices / 2 * m * n;
  static constexpr std::size_t shared_bytes = sizeof(float) * std::max(stages * stage_floats, reduction_floats);

  static_assert(m % warp_m == 0 && n % warp_n == 0 && thread_n % 4 == 0);
  static_assert(k % (4 * slices) == 0 && stages >= 2);
};

using SmallTile = SlicedTile<64, 64, 16, 8, 8, 4, 4, 2>;     // a few hundred rows
using SmallestTile = SlicedTile<32, 32, 32, 4, 4, 3, 4, 2>;  // would leave most of the device idle otherwise

/// Multiplies steps k_begin … k_end of k for `tile`, and stores the sums as `out_tile` of `out`.
template <class Tile, AlignedRows rows>
__device__ __forceinline__ void multiply_sliced_k(const GemmProblem& gemm, const TileCoord& tile, std::size_t k_begin,
                                                  std::size_t k_end, const GemmProblem& out,
                                                  const TileCoord& out_tile) {
  constexpr bool is_aligned = rows != AlignedRows::none;  // B and C
  constexpr unsigned thread_m = Tile::thread_m, thread_n = Tile::thread_n;
  constexpr unsigned a_width = rows == AlignedRows::all ? 4 : 1, b_width = is_aligned ? 4 : 1;
  float* const shared = dynamic_shared<float>();
  const std::size_t first_row = std::size_t{tile.row} * Tile::m, first_column = std::size_t{tile.column} * Tile::n;
  const float* const a = gemm.a + first_row * gemm.k;
  const float* const b = gemm.b + first_column;

  const auto fetch = [&](std::size_t k0, unsigned stage) {
    if (k0 < k_end) {
      float* const to = shared + stage * Tile::stage_floats;
      copy_tile_async<Tile::m, Tile::k, Tile::a_pitch, Tile::threads, a_width>(to, a + k0, gemm.k, gemm.m - first_row,
                                                                               k_end - k0);
      copy_tile_async<Tile::k, Tile::n, Tile::n, Tile::threads, b_width>(to + Tile::a_floats, b + k0 * gemm.n, gemm.n,
                                                                         k_end - k0, gemm.n - first_column);
    }
    cp_async_commit_group();  // possibly an empty group, which keeps the count of groups
  };

  const unsigned slice = threadIdx.x / Tile::slice_threads, thread = threadIdx.x % Tile::slice_threads;
  const unsigned warp = thread / 32;
  constexpr unsigned warps_n = Tile::n / Tile::warp_n;
  const unsigned row = warp / warps_n * Tile::warp_m + lane_row();
  const unsigned column = warp % warps_n * Tile::warp_n + lane_column() * 4;
  float acc[thread_m][thread_n] = {};

#pragma unroll
  for (unsigned stage = 0; stage + 1 < Tile::stages; ++stage) fetch(k_begin + stage * Tile::k, stage);
  unsigned stage = 0;
  for (std::size_t k0 = k_begin; k0 < k_end; k0 += Tile::k) {
    cp_async_wait_group<Tile::stages - 2>();
    __syncthreads();  // this stage has landed for all threads; none reads the previous one, which the next copies fill
    fetch(k0 + (Tile::stages - 1) * Tile::k, stage == 0 ? Tile::stages - 1 : stage - 1);
    const float* const a_tile = shared + stage * Tile::stage_floats + row * Tile::a_pitch;
    const float* const b_tile = shared + stage * Tile::stage_floats + Tile::a_floats + column;
#pragma unroll
    for (unsigned pass = 0; pass < Tile::k / 4 / Tile::slices; ++pass) {
      const unsigned l = 4 * (pass * Tile::slices + slice);
      float a_fragment[thread_m][4];  // four steps of k
#pragma unroll
      for (unsigned i = 0; i < thread_m; ++i) load_vector(a_fragment[i], a_tile + 8 * i * Tile::a_pitch + l);
#pragma unroll
      for (unsigned step = 0; step < 4; ++step) {
        float b_fragment[thread_n];
#pragma unroll
        for (unsigned j = 0; j < thread_n; j += 4) load_vector(b_fragment + j, b_tile + (l + step) * Tile::n + 4 * j);
#pragma unroll
        for (unsigned i = 0; i < thread_m; ++i)
#pragma unroll
          for (unsigned j = 0; j < thread_n; ++j) acc[i][j] += a_fragment[i][step] * b_fragment[j];
      }
    }
    stage = stage + 1 == Tile::stages ? 0 : stage + 1;
  }

  launch_dependents();

  // Tree reduction over the slices: the upper half hands its accumulators to the lower half, until one is left.
#pragma unroll
  for (unsigned half = Tile::slices / 2; half > 0; half /= 2) {
    float* const handed = shared + slice % half * (Tile::m * Tile::n) + thread;
    __syncthreads();
    if (slice >= half && slice < 2 * half)
#pragma unroll
      for (unsigned i = 0; i < thread_m * thread_n; ++i)
        handed[i * Tile::slice_threads] = acc[i / thread_n][i % thread_n];
    __syncthreads();
    if (slice < half)
#pragma unroll
      for (unsigned i = 0; i < thread_m * thread_n; ++i)
        acc[i / thread_n][i % thread_n] += handed[i * Tile::slice_threads];
  }
  const std::size_t out_row = std::size_t{out_tile.row} * Tile::m, out_column = std::size_t{out_tile.column} * Tile::n;
  if (is_aligned || out.c_pitch % 4 == 0) {  // C, or partial sums
    if (slice == 0)
      store_accumulators<true>(out, acc, out_column + column, out.c_pitch,
                               [&](unsigned i) { return out_row + row + 8 * i; });
    return;
  }
  constexpr unsigned pitch = Tile::n + 4;
  static_assert(Tile::m * pitch * sizeof(float) <= Tile::shared_bytes);
  __syncthreads();  // the slices' sums have been read
  if (slice == 0)
#pragma unroll
    for (unsigned i = 0; i < thread_m; ++i)
#pragma unroll
      for (unsigned j = 0; j < thread_n; ++j) shared[(row + 8 * i) * pitch + column + j / 4 * 16 + j % 4] = acc[i][j];
  __syncthreads();
  store_from_shared<Tile::m, Tile::n, pitch, Tile::threads>(out, shared, out_row, out_column,
                                                            [](unsigned r) { return r; });
}

template <class Tile, AlignedRows rows>
__global__ void __launch_bounds__(Tile::threads, Tile::min_blocks) gemm_sliced_k(GemmProblem gemm) {
  grid_dependency_wait();
  const TileCoord tile = rasterize(gemm, blockIdx.x);
  const std::size_t k_begin = blockIdx.y * gemm.k_per_split;
  const std::size_t k_end = k_begin + gemm.k_per_split < gemm.k ? k_begin + gemm.k_per_split : gemm.k;
  multiply_sliced_k<Tile, rows>(gemm, tile, k_begin, k_end, gemm, tile);
}

/// Block i: work tile i. The last tiles alone are split.
template <class Tile, AlignedRows rows>
__global__ void __launch_bounds__(Tile::threads, Tile::min_blocks)
    gemm_split_sliced_k(GemmProblem gemm, SplitTiles tiles) {
  __shared__ WorkTile work;
  if (threadIdx.x == 0) work = tiles.scheduler.work_tile(blockIdx.x);
  __syncthreads();
  grid_dependency_wait();
  const KInterval k = k_range<Tile>(gemm, work);
  const bool is_split = tiles.scheduler.is_split(blockIdx.x);
  multiply_sliced_k<Tile, rows>(gemm, work.tile, k.begin, k.end,
                                is_split ? partial_sums(gemm, tiles, blockIdx.x) : gemm,
                                is_split ? TileCoord{0, 0} : work.tile);
}

/// With split-K, too. Requires m, n > 0.
template <class Tile>
void launch_sliced_k(const Queue& queue, const MatmulF32::Args& args, const Splits& splits) {
  dispatch_rows(args, [&]<AlignedRows rows>() {
    launch_splits<Tile>({gemm_sliced_k<Tile, rows>, gemm_split_sliced_k<Tile, rows>}, queue, args, splits);
  });
}

}  // namespace
}  // namespace crosswarp::gpu
