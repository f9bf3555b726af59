// A thread's share of the sum of an array of any alignment, in 16-byte loads. Bound by memory: enough loads are in flight
// to cover its latency.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
inline namespace cuda {

/// How an unaligned array splits into 16-byte vectors: up to three elements before them, up to three after.
struct VectorSplit {
  std::size_t head;     ///< Elements before the first aligned vector.
  std::size_t vectors;  ///< Aligned vectors of four.
  std::size_t n;

  __device__ VectorSplit(const float* in, std::size_t n)
      : head(std::min<std::size_t>(n, (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16 / sizeof(float))),
        vectors((n - head) / 4),
        n(n) {}
  __device__ std::size_t tail() const { return head + 4 * vectors; }
};

/// The calling thread's share of the sum of `in`: grid-stride over vectors, `unroll` independent loads at a time.
/// Requires a one-dimensional grid and block.
template <int unroll>
__device__ float thread_sum(const float* __restrict__ in, std::size_t n) {
  const VectorSplit split(in, n);
  const auto* const vectors = reinterpret_cast<const float4*>(in + split.head);  // aligned by the choice of head
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t me = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

  float sum = 0;
  std::size_t i = me;
  for (; i + (unroll - 1) * threads < split.vectors; i += unroll * threads) {
    float4 v[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) v[u] = vectors[i + u * threads];
#pragma unroll
    for (int u = 0; u < unroll; ++u) sum += (v[u].x + v[u].y) + (v[u].z + v[u].w);
  }
  for (; i < split.vectors; i += threads) {
    const float4 v = vectors[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  // At most three elements at either end: one thread each, so that they cost one load in all.
  if (me < split.head) sum += in[me];
  if (const std::size_t j = split.tail() + me; j < n) sum += in[j];
  return sum;
}

}  // namespace cuda
}  // namespace crosswarp::gpu
