// The product by tiles of 128 × 128, 8 × 8 elements of C a thread, with A transposed in shared memory, so that all
// loads are of 16 bytes: what two rungs share, which differ in the place that a thread has.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned tile_side = 128, tile_depth = 8, tile_block = 256;

/// from[at] … from[at + 3] of a line of which `end` elements are there; zeros beyond. `vectors`: aligned to 16 bytes.
template <bool vectors>
__device__ float4 load_four(const float* from, std::size_t at, std::size_t end) {
  if constexpr (vectors) return at < end ? *reinterpret_cast<const float4*>(from + at) : make_float4(0, 0, 0, 0);
  const auto one = [&](std::size_t i) { return i < end ? from[i] : 0.0f; };
  return make_float4(one(at), one(at + 1), one(at + 2), one(at + 3));
}

template <bool vectors>
__device__ void store_four(float* to, std::size_t at, std::size_t end, const float (&values)[4]) {
  if constexpr (vectors) {
    if (at < end) *reinterpret_cast<float4*>(to + at) = make_float4(values[0], values[1], values[2], values[3]);
  } else {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      if (at + i < end) to[at + i] = values[i];
  }
}

/// A thread's elements are four by four: rows row(h) … row(h) + 3 and columns column(h) … column(h) + 3 of its tile,
/// for h = 0 and 1. `Place` says which, all of them multiples of four.
template <class Place, bool vectors>
__global__ void __launch_bounds__(tile_block, 2)
    multiply_transposed(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  // Without the four floats at their ends all lines of A would begin in one bank, and a thread stores into four lines.
  alignas(16) __shared__ float of_a[tile_depth][tile_side + 4], of_b[tile_depth][tile_side];
  const std::size_t tiles_across = (n + tile_side - 1) / tile_side;
  const std::size_t first_row = blockIdx.x / tiles_across * tile_side;
  const std::size_t first_column = blockIdx.x % tiles_across * tile_side;
  // Of A a thread brings four elements of a row, of B four of a row, too.
  const unsigned a_row = threadIdx.x / 2, a_column = threadIdx.x % 2 * 4;
  const unsigned b_row = threadIdx.x / 32, b_column = threadIdx.x % 32 * 4;
  const Place place(threadIdx.x);
  float sums[8][8] = {};
  for (std::size_t at = 0; at < k; at += tile_depth) {
    const float4 left = load_four<vectors>(a + (first_row + a_row) * k, at + a_column, first_row + a_row < m ? k : 0);
    const float4 right = load_four<vectors>(b + (at + b_row) * n, first_column + b_column, at + b_row < k ? n : 0);
    of_a[a_column][a_row] = left.x;
    of_a[a_column + 1][a_row] = left.y;
    of_a[a_column + 2][a_row] = left.z;
    of_a[a_column + 3][a_row] = left.w;
    *reinterpret_cast<float4*>(&of_b[b_row][b_column]) = right;
    __syncthreads();
#pragma unroll
    for (unsigned l = 0; l < tile_depth; ++l) {
      float4 rows[2], columns[2];
#pragma unroll
      for (unsigned h = 0; h < 2; ++h) {
        rows[h] = *reinterpret_cast<const float4*>(&of_a[l][place.row(h)]);
        columns[h] = *reinterpret_cast<const float4*>(&of_b[l][place.column(h)]);
      }
      const float of_rows[8] = {rows[0].x, rows[0].y, rows[0].z, rows[0].w, rows[1].x, rows[1].y, rows[1].z, rows[1].w};
      const float of_columns[8] = {columns[0].x, columns[0].y, columns[0].z, columns[0].w,
                                   columns[1].x, columns[1].y, columns[1].z, columns[1].w};
#pragma unroll
      for (unsigned i = 0; i < 8; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j) sums[i][j] += of_rows[i] * of_columns[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    const std::size_t row = first_row + place.row(i / 4) + i % 4;
    if (row >= m) continue;
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const float four[4] = {sums[i][4 * h], sums[i][4 * h + 1], sums[i][4 * h + 2], sums[i][4 * h + 3]};
      store_four<vectors>(c + row * n, first_column + place.column(h), n, four);
    }
  }
}

template <class Place>
void launch_transposed(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  const bool vectors = args.n % 4 == 0 && args.k % 4 == 0;  // then all rows begin at multiples of 16 bytes
  launch(vectors ? multiply_transposed<Place, true> : multiply_transposed<Place, false>,
         blocks_for(args.n, tile_side) * blocks_for(args.m, tile_side), tile_block, 0, queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k);
}

}  // namespace
}  // namespace crosswarp::gpu
