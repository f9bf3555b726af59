// The product of matrices by tiles of C, a block each, whose operands come in stages by asynchronous copies: what the
// top rungs share. Bound by the issue of multiply-adds: 64 for each four 16-byte loads from shared memory at 8 × 8
// elements a thread, 128 for six at 8 × 16.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/split_k.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

/// How a block computes a tile of rows × columns elements of C, `depth` products of each at a time.
///
/// 32 threads have (8·thread_rows) × (4·thread_columns) elements, each thread thread_rows × thread_columns of them.
/// Where there are several `slices`, each has the whole tile with its share of the products of a step, and their sums
/// are added at the end: that brings warps to tiles that are too small to have enough.
template <unsigned rows_, unsigned columns_, unsigned depth_, unsigned thread_rows_, unsigned thread_columns_,
          unsigned stages_, unsigned slices_, unsigned blocks_>
struct TileShape {
  static constexpr unsigned rows = rows_, columns = columns_, depth = depth_, thread_rows = thread_rows_,
                            thread_columns = thread_columns_, stages = stages_, slices = slices_;
  static constexpr unsigned blocks = blocks_;  ///< Of a multiprocessor at once, for which registers are kept.
  static constexpr unsigned group_rows = 8 * thread_rows, group_columns = 4 * thread_columns;
  static constexpr unsigned groups = rows / group_rows * (columns / group_columns);
  static constexpr unsigned slice_threads = 32 * groups, threads = slice_threads * slices;

  /// Rows of A lie in shared memory as they do in memory, `depth` floats and four that nobody reads: so the four
  /// products that a 16-byte load brings lie in other banks for each of eight rows.
  static constexpr unsigned row_of_a = depth + 4;
  static constexpr unsigned floats_of_a = rows * row_of_a, floats_of_stage = floats_of_a + depth * columns;
  static constexpr unsigned floats_to_add = slices / 2 * rows * columns;
  static constexpr std::size_t shared_bytes = sizeof(float) * std::max(stages * floats_of_stage, floats_to_add);

  static_assert(rows % group_rows == 0 && columns % group_columns == 0 && thread_columns % 4 == 0);
  static_assert(depth % (4 * slices) == 0 && stages >= 2);
};

/// What a launch computes. `vectors`: all rows of A, B and C begin at multiples of 16 bytes.
struct TiledProduct {
  const float* a;
  const float* b;
  float* c;  ///< With several parts: partials, of which each has m·n.
  std::size_t m, n, k;
  std::size_t part;       ///< Products of an element for each blockIdx.y, a multiple of a tile's depth.
  unsigned tiles_across;  ///< Of columns.
  unsigned tiles_down;
};

/// Blocks that run at the same time are to share what they read: numbers go down `height` tiles, then across.
struct TilePlace {
  unsigned down, across;

  __device__ TilePlace(const TiledProduct& product, unsigned number) {
    constexpr unsigned height = 8;
    const unsigned in_band = height * product.tiles_across, raster = number / in_band, within = number % in_band;
    const unsigned left = product.tiles_down - raster * height, here = left < height ? left : height;
    down = raster * height + within % here;
    across = within / here;
  }
};

/// Starts to copy `lines` lines of `length` floats, `pitch` apart in shared memory and `stride` in global memory, by
/// all threads of the block. What is not among the first `lines_there` lines and `length_there` floats becomes zero.
template <unsigned lines, unsigned length, unsigned pitch, unsigned threads, unsigned width>
__device__ void copy_lines(float* to, const float* from, std::size_t stride, std::size_t lines_there,
                           std::size_t length_there) {
  constexpr unsigned in_line = length / width, copies = lines * in_line;
#pragma unroll
  for (unsigned i = 0; i < (copies + threads - 1) / threads; ++i) {
    const unsigned copy = i * threads + threadIdx.x, line = copy / in_line, column = copy % in_line * width;
    if (copies % threads == 0 || copy < copies) {
      const bool is_there = line < lines_there && column < length_there;
      cp_async_floats<width>(to + line * pitch + column, is_there ? from + line * stride + column : from, is_there);
    }
  }
}

/// Four sums as an access of 16 bytes wants them, in registers that are neighbours, by an addition that keeps them
/// apart from those that are multiplied into: these would be neighbours, too, and all in the bank of what they are
/// multiplied with, so that each multiply-add would wait for its own operands.
__device__ inline float4 of_other_registers(const float* sums) {
  return make_float4(sums[0] + 0.0f, sums[1] + 0.0f, sums[2] + 0.0f, sums[3] + 0.0f);
}

/// Writes a thread's sums to C, or to the partials of blockIdx.y: the i-th row of them to row `row_of(i)`, by fours
/// whose columns are 16 apart, from `column` on. What lies outside stays unwritten.
template <bool vectors, unsigned rows, unsigned columns, class RowOf>
__device__ void store_sums(const TiledProduct& product, const float (&sums)[rows][columns], std::size_t column,
                           RowOf row_of) {
  float* const c = product.c + blockIdx.y * product.m * product.n;
#pragma unroll
  for (unsigned i = 0; i < rows; ++i) {
    const std::size_t to_row = row_of(i);
    if (to_row >= product.m) continue;
#pragma unroll
    for (unsigned j = 0; j < columns; j += 4) {
      const std::size_t to_column = column + 4 * j;
      float* const to = c + to_row * product.n + to_column;
      if constexpr (vectors) {
        if (to_column < product.n) *reinterpret_cast<float4*>(to) = of_other_registers(&sums[i][j]);
      } else {
#pragma unroll
        for (unsigned v = 0; v < 4; ++v)
          if (to_column + v < product.n) to[v] = sums[i][j + v];
      }
    }
  }
}

template <class Tile, bool vectors>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks) multiply_tiles(TiledProduct product) {
  grid_dependency_sync();
  constexpr unsigned depth = Tile::depth, tm = Tile::thread_rows, tn = Tile::thread_columns;
  constexpr unsigned width = vectors ? 4 : 1;
  float* const memory = dynamic_shared<float>();
  const TilePlace tile(product, blockIdx.x);
  const std::size_t first_row = std::size_t{tile.down} * Tile::rows;
  const std::size_t first_column = std::size_t{tile.across} * Tile::columns;
  const std::size_t begin = blockIdx.y * product.part;
  const std::size_t end = begin + product.part < product.k ? begin + product.part : product.k;
  const float* const a = product.a + first_row * product.k;
  const float* const b = product.b + first_column;

  const auto fetch = [&](std::size_t at, unsigned stage) {
    if (at < end) {
      float* const to = memory + stage * Tile::floats_of_stage;
      copy_lines<Tile::rows, depth, Tile::row_of_a, Tile::threads, width>(to, a + at, product.k, product.m - first_row,
                                                                          end - at);
      copy_lines<depth, Tile::columns, Tile::columns, Tile::threads, width>(
          to + Tile::floats_of_a, b + at * product.n, product.n, end - at, product.n - first_column);
    }
    cp_async_commit_group();  // an empty group keeps the count
  };

  // Of 32 threads, pairs share rows, and fours columns: neighbours read the same 16 bytes of A or of B, or the next
  // ones, and so one pass of shared memory serves half of a warp.
  const unsigned slice = threadIdx.x / Tile::slice_threads, of_slice = threadIdx.x % Tile::slice_threads;
  const unsigned group = of_slice / 32, lane = of_slice % 32;
  constexpr unsigned groups_across = Tile::columns / Tile::group_columns;
  const unsigned row = group / groups_across * Tile::group_rows + (lane >> 1 & 7);
  const unsigned column = group % groups_across * Tile::group_columns + ((lane >> 3 & 2) | (lane & 1)) * 4;
  float sums[tm][tn] = {};

#pragma unroll
  for (unsigned stage = 0; stage + 1 < Tile::stages; ++stage) fetch(begin + stage * depth, stage);
  unsigned stage = 0;
  for (std::size_t at = begin; at < end; at += depth) {
    cp_async_wait_group<Tile::stages - 2>();
    __syncthreads();  // this stage is there for all, and nobody reads the one before any more, which is filled next
    fetch(at + (Tile::stages - 1) * depth, stage == 0 ? Tile::stages - 1 : stage - 1);
    const float* const of_a = memory + stage * Tile::floats_of_stage + row * Tile::row_of_a;
    const float* const of_b = memory + stage * Tile::floats_of_stage + Tile::floats_of_a + column;
#pragma unroll
    for (unsigned step = 0; step < depth / 4 / Tile::slices; ++step) {
      const unsigned l = 4 * (step * Tile::slices + slice);
      float left[tm][4];
#pragma unroll
      for (unsigned i = 0; i < tm; ++i) {
        const float4 v = *reinterpret_cast<const float4*>(of_a + 8 * i * Tile::row_of_a + l);
        left[i][0] = v.x, left[i][1] = v.y, left[i][2] = v.z, left[i][3] = v.w;
      }
#pragma unroll
      for (unsigned of_four = 0; of_four < 4; ++of_four) {
        float right[tn];
#pragma unroll
        for (unsigned j = 0; j < tn; j += 4) {
          const float4 v = *reinterpret_cast<const float4*>(of_b + (l + of_four) * Tile::columns + 4 * j);
          right[j] = v.x, right[j + 1] = v.y, right[j + 2] = v.z, right[j + 3] = v.w;
        }
#pragma unroll
        for (unsigned i = 0; i < tm; ++i)
#pragma unroll
          for (unsigned j = 0; j < tn; ++j) sums[i][j] += left[i][of_four] * right[j];
      }
    }
    stage = stage + 1 == Tile::stages ? 0 : stage + 1;
  }

  // The upper half of the slices hands its sums to the lower half, until one is left.
#pragma unroll
  for (unsigned half = Tile::slices / 2; half > 0; half /= 2) {
    float* const handed = memory + slice % half * (Tile::rows * Tile::columns) + of_slice;
    __syncthreads();
    if (slice >= half && slice < 2 * half)
#pragma unroll
      for (unsigned i = 0; i < tm * tn; ++i) handed[i * Tile::slice_threads] = sums[i / tn][i % tn];
    __syncthreads();
    if (slice < half)
#pragma unroll
      for (unsigned i = 0; i < tm * tn; ++i) sums[i / tn][i % tn] += handed[i * Tile::slice_threads];
  }
  if (slice > 0) return;

  store_sums<vectors>(product, sums, first_column + column, [&](unsigned i) { return first_row + row + 8 * i; });
}

/// Whether all rows of A, B and C begin at multiples of 16 bytes.
inline bool rows_are_vectors(const MatmulF32::Args& args) { return args.n % 4 == 0 && args.k % 4 == 0; }

/// Calls `use` for whether they do: `[&]<bool vectors>()`.
template <class Use>
void by_rows(const MatmulF32::Args& args, Use&& use) {
  rows_are_vectors(args) ? use.template operator()<true>() : use.template operator()<false>();
}

/// The product as a launch computes it, in parts of `part` products where it is cut into parts.
template <class Tile>
TiledProduct tiled_product(const MatmulF32::Args& args, float* c, std::size_t part = 0) {
  return {args.a.data(),
          args.b.data(),
          c,
          args.m,
          args.n,
          args.k,
          part,
          blocks_for(args.n, Tile::columns),
          blocks_for(args.m, Tile::rows)};
}

/// Enqueues the product of all elements by `kernel`, each in `parts` parts of its products; of several parts the
/// partials go to the workspace. Empty matrices are nobody's.
template <class Tile>
void launch_tiles_by(void (*kernel)(TiledProduct), const Queue& queue, const MatmulF32::Args& args, std::size_t parts) {
  const std::size_t steps = (args.k + Tile::depth - 1) / Tile::depth;
  const std::size_t part = std::max<std::size_t>((steps + parts - 1) / parts, 1) * Tile::depth;
  float* const c = parts > 1 ? reinterpret_cast<float*>(queue.workspace.data()) : args.c.data();
  const TiledProduct product = tiled_product<Tile>(args, c, part);
  launch(kernel, dim3(product.tiles_across * product.tiles_down, static_cast<unsigned>(parts)), Tile::threads,
         Tile::shared_bytes, queue, product);
}

template <class Tile, bool vectors>
void launch_tiles(const Queue& queue, const MatmulF32::Args& args, std::size_t parts) {
  launch_tiles_by<Tile>(multiply_tiles<Tile, vectors>, queue, args, parts);
}

/// C, as add_partials() writes it.
struct ProductSums {
  float* at;

  __device__ void store_at(std::size_t i, float sum) const { at[i] = sum; }
};

inline void launch_add_partials(const Queue& queue, const MatmulF32::Args& args, std::size_t parts) {
  launch_add_partials(queue, args.c.size(), static_cast<unsigned>(parts), args.c.size(), ProductSums{args.c.data()});
}

inline std::size_t bytes_of_parts(const MatmulF32::Args& args, std::size_t parts) {
  return parts > 1 ? parts * args.c.size_bytes() : 0;
}

/// The shapes that are compiled, each for any matrices and for those whose rows are vectors. By what they are for:
using LargeTile = TileShape<128, 128, 16, 8, 8, 3, 1, 2>;   // large matrices: 16 warps a multiprocessor
using MediumTile = TileShape<64, 128, 16, 8, 8, 3, 2, 2>;   // less left over in the last wave
using SmallTile = TileShape<64, 64, 16, 8, 8, 4, 4, 2>;     // matrices of a few hundred rows
using SmallestTile = TileShape<32, 32, 32, 4, 4, 3, 4, 2>;  // those that would leave most of the device idle

}  // namespace
}  // namespace crosswarp::gpu
