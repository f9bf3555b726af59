// Building blocks of the tiled GEMM kernels: rasterization, tile loads, outer product, epilogue.
#pragma once

#include <cstddef>
#include <utility>

#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/raster.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// C = A·B of row-major matrices, as a kernel parameter.
struct GemmProblem {
  const float* a;
  const float* b;
  float* c;  ///< Or a tile's partial sums, of split-K.
  std::size_t m, n, k;
  std::size_t k_per_split;    ///< Of each row of the grid: k, since it has one.
  unsigned tiles_n, tiles_m;  ///< Block tiles across and down C.
  std::size_t c_pitch;        ///< Of C in floats: n; of partial sums a multiple of four.
};

}  // namespace CROSSWARP_PLATFORM
namespace {

/// Calls `use` with the constants 0 … count - 1. Unlike an unrolled loop it has no size limit.
template <unsigned count, class Use>
__device__ __forceinline__ void for_constants(Use use) {
  [&]<unsigned... each>(std::integer_sequence<unsigned, each...>) {
    (use(std::integral_constant<unsigned, each>()), ...);
  }
  (std::make_integer_sequence<unsigned, count>());
}

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

/// Epilogue: stores a thread's accumulators, clipped to C, whose rows are `pitch` floats apart. Row i of them goes to
/// row `c_row(i)`; groups of four columns are 16 columns apart, from `c_column` on.
template <bool aligned, unsigned rows, unsigned columns, class RowOf>
__device__ void store_accumulators(const GemmProblem& gemm, const float (&acc)[rows][columns], std::size_t c_column,
                                   std::size_t pitch, RowOf c_row) {
  float* const c = gemm.c + blockIdx.y * gemm.m * pitch;
#pragma unroll
  for (unsigned i = 0; i < rows; ++i) {
    const std::size_t row = c_row(i);
    if (row >= gemm.m) continue;
#pragma unroll
    for (unsigned j = 0; j < columns; j += 4) {
      const std::size_t column = c_column + 4 * j;
      float* const to = c + row * pitch + column;
      if constexpr (aligned) {
        if (column < gemm.n) *reinterpret_cast<float4*>(to) = to_fresh_registers(&acc[i][j]);
      } else {
#pragma unroll
        for (unsigned v = 0; v < 4; ++v)
          if (column + v < gemm.n) to[v] = acc[i][j + v];
      }
    }
  }
}

/// Stores a matrix in shared memory, whose rows are `pitch` floats apart, to C, clipped. Neighbouring threads store
/// neighbouring elements, since rows of C may start anywhere. Row r goes to row `c_row` + `row_offset(r)`. A thread
/// stores `passes` rows from a multiple r0 of `passes` on; row_offset(r0 + i) must be row_offset(r0) + row_offset(i)
/// for these.
template <unsigned rows, unsigned columns, unsigned pitch, unsigned threads, class RowOffset>
__device__ void store_from_shared(const GemmProblem& gemm, const float* shared, std::size_t c_row, std::size_t c_column,
                                  RowOffset row_offset) {
  constexpr unsigned passes = rows * columns / threads;
  static_assert(threads % columns == 0 && rows * columns % threads == 0);
  const unsigned first = threadIdx.x / columns * passes;
  const float* const from = shared + first * pitch + threadIdx.x % columns;
  c_row += row_offset(first);
  c_column += threadIdx.x % columns;
  if (c_row >= gemm.m || c_column >= gemm.n) return;
  const auto rows_left = static_cast<unsigned>(gemm.m - c_row < ~0u ? gemm.m - c_row : ~0u);
  float* to = gemm.c + c_row * gemm.n + c_column;
  for_constants<passes>([&](auto i_) {
    constexpr unsigned i = decltype(i_)::value, offset = row_offset(i), next = row_offset(i + 1);
    if (offset < rows_left) *to = from[i * pitch];
    to += (next - offset) * gemm.n;
  });
}

/// Whether every row of A, B and C starts on a 16-byte boundary.
inline bool rows_are_aligned(const MatmulF32::Args& args) { return args.n % 4 == 0 && args.k % 4 == 0; }

/// Calls `use` with that as a constant: `[&]<bool aligned>()`.
template <class Use>
void dispatch_alignment(const MatmulF32::Args& args, Use&& use) {
  rows_are_aligned(args) ? use.template operator()<true>() : use.template operator()<false>();
}

/// Which rows start on 16-byte boundaries, at the least.
enum class AlignedRows { all, of_b_and_c, none };

/// Calls `use` with that as a constant: `[&]<AlignedRows rows>()`.
template <class Use>
void dispatch_rows(const MatmulF32::Args& args, Use&& use) {
  if (rows_are_aligned(args))
    use.template operator()<AlignedRows::all>();
  else if (args.n % 4 == 0)
    use.template operator()<AlignedRows::of_b_and_c>();
  else
    use.template operator()<AlignedRows::none>();
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
          blocks_for(args.m, Tile::m),
          args.n};
}

}  // namespace
}  // namespace crosswarp::gpu
