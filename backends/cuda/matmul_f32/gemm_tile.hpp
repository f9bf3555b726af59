// Building blocks of the tiled GEMM kernels: rasterization, tile loads, outer product, epilogue.
#pragma once

#include <cstddef>

#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/raster.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// C = A·B of row-major matrices, as a kernel parameter.
struct GemmProblem {
  const float* a;
  const float* b;
  float* c;  ///< With split-K: m rows of split_pitch(n) floats, partial sums, for each split.
  std::size_t m, n, k;
  std::size_t k_per_split;    ///< A multiple of the k-tile; not less than k without split-K.
  unsigned tiles_n, tiles_m;  ///< Block tiles across and down C.
};

/// Floats from a row of partial sums to the next, so that each row begins at a multiple of 16 bytes.
constexpr std::size_t split_pitch(std::size_t n) { return (n + 3) / 4 * 4; }

}  // namespace CROSSWARP_PLATFORM
namespace {

/// Tile `index` of C, in strips of 8 tiles: concurrent blocks share rows of A and columns of B in L2.
__device__ inline TileCoord rasterize(const GemmProblem& gemm, unsigned index) {
  return Raster{gemm.tiles_m, gemm.tiles_n, 8}.tile(index);
}

/// The calling thread's coordinates in its warp tile, 8 threads down by 4 across. Each quarter of a warp covers 4 × 2
/// threads: its 16-byte loads of operands from shared memory have the same address or adjacent ones, free of bank
/// conflicts.
///
/// A warp tile belongs to 32 threads: a warp, or half a wave of 64 lanes.
__device__ inline unsigned lane_row() { return threadIdx.x >> 1 & 7; }
__device__ inline unsigned lane_column() { return (threadIdx.x >> 3 & 2) | (threadIdx.x & 1); }

/// One 16-byte load.
__device__ inline float4 load_vector(const float* from) { return *reinterpret_cast<const float4*>(from); }
/// The same into four elements of an array.
__device__ inline void load_vector(float* to, const float* from) {
  const float4 v = load_vector(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

/// Elements `at` … `at` + 3 of an array of `size`, zeros beyond its end. `aligned`: to 16 bytes.
template <bool aligned>
__device__ float4 load_padded(const float* from, std::size_t at, std::size_t size) {
  if constexpr (aligned) return at < size ? load_vector(from + at) : make_float4(0, 0, 0, 0);
  const auto element = [&](std::size_t i) { return i < size ? from[i] : 0.0f; };
  return make_float4(element(at), element(at + 1), element(at + 2), element(at + 3));
}

/// Stores four values to elements `at` … `at` + 3 of an array of `size`, and none beyond its end.
template <bool aligned>
__device__ void store_clipped(float* to, std::size_t at, std::size_t size, const float* values) {
  if constexpr (aligned) {
    if (at < size) *reinterpret_cast<float4*>(to + at) = make_float4(values[0], values[1], values[2], values[3]);
  } else {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      if (at + i < size) to[at + i] = values[i];
  }
}

/// acc += a ⊗ b: the rank-1 update of a thread's tile of C.
template <unsigned m, unsigned n>
__device__ void outer_product(const float (&a)[m], const float (&b)[n], float (&acc)[m][n]) {
#pragma unroll
  for (unsigned i = 0; i < m; ++i)
#pragma unroll
    for (unsigned j = 0; j < n; ++j) acc[i][j] += a[i] * b[j];
}

/// Starts asynchronous copies of a tile of `rows` × `columns` floats by all `threads` of the block. Rows are `pitch`
/// floats apart in shared memory and `stride` in global memory. Elements outside the first `valid_rows` and
/// `valid_columns` become zero. `width`: floats per copy, 1 or 4.
template <unsigned rows, unsigned columns, unsigned pitch, unsigned threads, unsigned width>
__device__ void copy_tile_async(float* to, const float* from, std::size_t stride, std::size_t valid_rows,
                                std::size_t valid_columns) {
  constexpr unsigned copies_per_row = columns / width, copies = rows * copies_per_row;
#pragma unroll
  for (unsigned i = 0; i < (copies + threads - 1) / threads; ++i) {
    const unsigned copy = i * threads + threadIdx.x, row = copy / copies_per_row,
                   column = copy % copies_per_row * width;
    if (copies % threads == 0 || copy < copies) {
      const bool is_valid = row < valid_rows && column < valid_columns;
      cp_async_floats<width>(to + row * pitch + column, is_valid ? from + row * stride + column : from, is_valid);
    }
  }
}

/// Four accumulators in fresh registers, by an addition that the compiler keeps. A 16-byte store needs consecutive
/// registers. Accumulators allocated so would all lie in the register bank of their operand, and stall each
/// multiply-add.
__device__ inline float4 to_fresh_registers(const float* acc) {
  return make_float4(acc[0] + 0.0f, acc[1] + 0.0f, acc[2] + 0.0f, acc[3] + 0.0f);
}

/// Stores a thread's accumulators to rows of `pitch` floats, a multiple of four, 16 bytes at a time.
template <unsigned rows, unsigned columns, class RowOf>
__device__ void store_vectors(float* c, std::size_t m, std::size_t pitch, const float (&acc)[rows][columns],
                              std::size_t c_column, RowOf c_row) {
#pragma unroll
  for (unsigned i = 0; i < rows; ++i) {
    const std::size_t row = c_row(i);
    if (row >= m) continue;
#pragma unroll
    for (unsigned j = 0; j < columns; j += 4) {
      const std::size_t column = c_column + 4 * j;
      float* const to = c + row * pitch + column;
      if (column < pitch) *reinterpret_cast<float4*>(to) = to_fresh_registers(&acc[i][j]);
    }
  }
}

/// The same to rows that begin anywhere: by way of shared memory, after which a warp's 32 lanes store adjacent
/// elements. Lane by lane the four of each would go out one by one, into the same sectors four times.
template <unsigned warps, unsigned lane_step, unsigned rows, unsigned columns, class RowOf>
__device__ void store_adjacent(float* c, std::size_t m, std::size_t n, const float (&acc)[rows][columns],
                               std::size_t c_column, RowOf c_row) {
  constexpr unsigned width = 4 * columns, pitch = width + 4;  // of eight rows of the warp tile
  constexpr unsigned lanes = std::min(width, 32U), rows_at_once = 32 / lanes;
  alignas(16) __shared__ float staged[warps][8 * pitch];
  float* const own = staged[threadIdx.x / 32];
  const unsigned own_row = threadIdx.x % 32 / lanes, own_column = threadIdx.x % lanes;
  const std::size_t first_column = c_column - 4 * lane_column() + own_column;
#pragma unroll
  for (unsigned i = 0; i < rows; ++i) {
#pragma unroll
    for (unsigned j = 0; j < columns; j += 4)
      *reinterpret_cast<float4*>(own + lane_row() * pitch + 4 * (lane_column() + j)) =
          make_float4(acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]);
    sync_warp();
    const std::size_t first_row = c_row(i) - lane_row() * lane_step + own_row * lane_step;
    float* to = c + first_row * n + first_column;
#pragma unroll
    for (unsigned row = 0; row < 8; row += rows_at_once) {
#pragma unroll
      for (unsigned column = 0; column < width; column += lanes)
        if (first_row + row * lane_step < m && first_column + column < n)
          to[column] = own[(row + own_row) * pitch + own_column + column];
      to += rows_at_once * lane_step * n;
    }
    sync_warp();
  }
}

/// Epilogue: stores a thread's accumulators, clipped to C, or the partial sums of split blockIdx.y. Row i of them goes
/// to row `c_row(i)`, which is `lane_step` rows above that of the next lane_row(); groups of four columns are 16
/// columns apart, from `c_column` on. All threads of `warps` warps call it.
template <bool aligned, unsigned warps, unsigned lane_step, unsigned rows, unsigned columns, class RowOf>
__device__ void store_accumulators(const GemmProblem& gemm, const float (&acc)[rows][columns], std::size_t c_column,
                                   RowOf c_row) {
  const auto store_split = [&](std::size_t pitch) {
    store_vectors(gemm.c + blockIdx.y * gemm.m * pitch, gemm.m, pitch, acc, c_column, c_row);
  };
  if constexpr (aligned)
    store_split(gemm.n);
  else if (gridDim.y > 1)
    store_split(split_pitch(gemm.n));
  else
    store_adjacent<warps, lane_step>(gemm.c, gemm.m, gemm.n, acc, c_column, c_row);
}

/// Whether every row of A, B and C starts on a 16-byte boundary.
inline bool rows_are_aligned(const MatmulF32::Args& args) { return args.n % 4 == 0 && args.k % 4 == 0; }

/// Calls `use` with that as a constant: `[&]<bool aligned>()`.
template <class Use>
void dispatch_alignment(const MatmulF32::Args& args, Use&& use) {
  rows_are_aligned(args) ? use.template operator()<true>() : use.template operator()<false>();
}

/// The problem in tiles of Tile::m × Tile::n.
template <class Tile>
GemmProblem gemm_problem(const MatmulF32::Args& args) {
  return {args.a.data(),
          args.b.data(),
          args.c.data(),
          args.m,
          args.n,
          args.k,
          args.k,
          blocks_for(args.n, Tile::n),
          blocks_for(args.m, Tile::m)};
}

}  // namespace
}  // namespace crosswarp::gpu
