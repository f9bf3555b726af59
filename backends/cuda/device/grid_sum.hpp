// A thread's share of the sum of an array of any alignment, in 16-byte loads. Bound by memory: enough loads are in
// flight to cover its latency.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// How an unaligned array splits into 16-byte vectors: up to three elements before them, up to three after.
struct VectorSplit {
  std::size_t head;     ///< Elements before the first aligned vector.
  std::size_t vectors;  ///< Aligned vectors of four.
  std::size_t tail;     ///< The first element after them.

  __device__ VectorSplit(const float* in, std::size_t n)
      : head(std::min<std::size_t>(n, (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16 / sizeof(float))),
        vectors((n - head) / 4),
        tail(head + 4 * vectors) {}
};

__device__ inline float sum_of(const float4& v) { return (v.x + v.y) + (v.z + v.w); }

/// The calling thread's share of the sum of `in`. The grid strides over tiles of `block` × `unroll` vectors: a thread's
/// independent loads lie within one tile, so that the whole grid reads one contiguous window at a time. (With the loads
/// a grid apart the H200 reads 2 to 6 % slower: docs/predictions.md.) Requires a one-dimensional grid, and blocks of
/// `block` threads.
template <unsigned block, unsigned unroll>
__device__ float thread_sum(const float* __restrict__ in, std::size_t n) {
  constexpr std::size_t tile = std::size_t{block} * unroll;
  const VectorSplit split(in, n);
  const auto* const vectors = reinterpret_cast<const float4*>(in + split.head);  // aligned by the choice of head
  float sum = 0;
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= split.vectors; first += gridDim.x * tile) {
    float4 v[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) v[u] = vectors[first + u * block + threadIdx.x];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) sum += sum_of(v[u]);
  }
  // The last tile may be a partial one: it belongs to the one block that stopped before it.
  for (std::size_t i = first + threadIdx.x; i < std::min(first + tile, split.vectors); i += block)
    sum += sum_of(vectors[i]);
  // At most three elements at either end: one thread each, so that they cost one load in all.
  const std::size_t me = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (me < split.head) sum += in[me];
  if (const std::size_t j = split.tail + me; j < n) sum += in[j];
  return sum;
}

/// Blocks for `thread_sum` over n elements: `waves` times as many as are resident at once, so that the hardware evens
/// out what some multiprocessors do faster; no more than there are tiles.
template <unsigned block, unsigned unroll>
unsigned grid_for(const Queue& queue, std::size_t n) {
  const int resident = queue.device.compute_units * queue.device.threads_per_unit / static_cast<int>(block);
  return std::min(static_cast<unsigned>(resident * queue.tuning["waves"]), blocks_for(n, 4 * block * unroll));
}

}  // namespace
}  // namespace crosswarp::gpu
