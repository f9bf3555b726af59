// Many short rows a block, of any length and alignment: the block reads them as one contiguous piece in 16-byte loads
// into shared memory, and adds them there. Bound by memory, and by the barrier between reading and adding.
#pragma once

#include "backends/cuda/device/vec.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned row_tiles_block = 256;
constexpr unsigned row_tile = 4096;     // elements: four 16-byte loads in flight for each thread
constexpr unsigned longest_row = 1024;  // elements: more would leave most threads without work

/// `per_row` threads, a power of two and at most 32, add each of `tile_rows` rows of at most row_tile elements in all.
__global__ void __launch_bounds__(row_tiles_block)
    add_rows_by_tiles(const float* __restrict__ in, std::size_t rows, unsigned columns, unsigned tile_rows,
                      unsigned per_row, float* __restrict__ out) {
  constexpr unsigned loads = row_tile / 4 / row_tiles_block;
  __shared__ float4 tile[row_tile / 4 + 1];
  const std::size_t first = std::size_t{blockIdx.x} * tile_rows;
  const auto here = static_cast<unsigned>(std::min<std::size_t>(tile_rows, rows - first));
  const float* const from = in + first * columns;
  const VecSplit<float> split(from, here * columns);
  // Element i goes to word shift + i, so that aligned vectors stay aligned.
  const auto head = static_cast<unsigned>(split.head), shift = (4 - head) % 4;
  auto* const words = reinterpret_cast<float*>(tile) + shift;
  const auto* const vectors = reinterpret_cast<const float4*>(from + head);
  float4 v[loads];
#pragma unroll
  for (unsigned u = 0; u < loads; ++u)
    v[u] = u * row_tiles_block + threadIdx.x < split.packs ? vectors[u * row_tiles_block + threadIdx.x]
                                                           : make_float4(0, 0, 0, 0);
  if (threadIdx.x < head) words[threadIdx.x] = from[threadIdx.x];
  if (const unsigned i = static_cast<unsigned>(split.tail) + threadIdx.x; i < here * columns) words[i] = from[i];
#pragma unroll
  for (unsigned u = 0; u < loads; ++u)
    if (const unsigned i = u * row_tiles_block + threadIdx.x; i < split.packs)
      *reinterpret_cast<float4*>(words + head + 4 * i) = v[u];
  __syncthreads();

  // Every row begins at another step than its neighbours: rows of 32 words would meet in the same banks.
  const unsigned part = threadIdx.x % per_row, steps = (columns + per_row - 1) / per_row;
  const unsigned rows_at_once = row_tiles_block / per_row;
  for (unsigned base = 0; base < here; base += rows_at_once) {  // the same number of turns for all: they shuffle
    const unsigned row = base + threadIdx.x / per_row;
    float sum = 0;
    if (row < here) {
      unsigned step = steps > 0 ? row % steps : 0;
      for (unsigned turn = 0; turn < steps; ++turn) {
        if (const unsigned column = step * per_row + part; column < columns) sum += words[row * columns + column];
        if (++step == steps) step = 0;
      }
    }
    for (unsigned bit = per_row / 2; bit > 0; bit /= 2) sum += shuffle_xor(sum, bit);
    if (row < here && part == 0) out[first + row] = sum;
  }
}

/// Rows of at most `longest_row` elements.
inline void sum_by_tiles(const Queue& queue, const RowSum::Args& args) {
  const auto columns = static_cast<unsigned>(args.columns);
  unsigned tile_rows = row_tile / std::max(columns, 1u), per_row = 1;
  if (tile_rows % 4 != 0 && tile_rows > 4) tile_rows -= tile_rows % 4;  // so that all tiles begin as the first does
  while (2 * per_row * tile_rows <= row_tiles_block && per_row < 32) per_row *= 2;
  if (args.rows() == 0) return;
  launch(add_rows_by_tiles, blocks_for(args.rows(), tile_rows), row_tiles_block, 0, queue, args.in.data(), args.rows(),
         columns, tile_rows, per_row, args.out.data());
}

}  // namespace
}  // namespace crosswarp::gpu
