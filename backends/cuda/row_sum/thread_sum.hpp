// A thread's share of one row, or of a chunk of one, by 16-byte loads. Bound by memory bandwidth while enough threads
// are resident: all loads of a tile are in flight together, in a partial tile, too.
#pragma once

#include "backends/cuda/device/vec.hpp"

namespace crosswarp::gpu {
namespace {

/// Blocks per multiprocessor for __launch_bounds__, so that each thread has registers for `loads` 16-byte loads in
/// flight. Without it nvcc 13 stops at the 32 registers with which all threads are resident, and keeps four or five
/// loads in flight, however many stand side by side in the source.
constexpr unsigned blocks_for_loads(unsigned block, unsigned loads) {
  constexpr unsigned registers = 65'536, others = 16;
  const unsigned blocks = registers / (block * (4 * loads + others));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

__device__ inline float sum_of(const float4& v) { return (v.x + v.y) + (v.z + v.w); }

/// Thread `thread`'s share, of `threads`, in the sum of in[0] … in[n-1], of any alignment. The threads step through
/// tiles of `threads` × `unroll` vectors.
template <unsigned threads, unsigned unroll>
__device__ float thread_sum(const float* __restrict__ in, std::size_t n, unsigned thread) {
  static_assert(threads >= 8);  // one for each element of head and tail
  constexpr unsigned tile = threads * unroll;
  const VecSplit<float> split(in, n);
  // Head and tail first: their loads are in flight together with those of the first tile.
  const std::size_t end = thread < 4 ? thread : split.tail + (thread - 4);
  float ends = 0;
  if (end < (thread < 4 ? split.head : n)) ends = in[end];
  const auto* vectors = reinterpret_cast<const float4*>(split.vectors) + thread;
  std::size_t left = split.count;
  float sum = 0;
  for (; left >= tile; left -= tile, vectors += tile) {
    float4 v[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) v[u] = vectors[u * threads];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) sum += sum_of(v[u]);
  }
  if (left > 0) {
    const auto rest = static_cast<unsigned>(left);
    float4 v[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u)
      v[u] = u * threads + thread < rest ? vectors[u * threads] : make_float4(0, 0, 0, 0);
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) sum += sum_of(v[u]);
  }
  return sum + ends;
}

}  // namespace
}  // namespace crosswarp::gpu
