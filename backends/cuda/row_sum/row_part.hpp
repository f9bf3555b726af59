// A thread's share of the sum of one row, or of a part of one, by a warp or a block. Bound by memory as long as enough
// of them are resident: all of a thread's loads of a tile are in flight at once, in a partial tile, too.
#pragma once

#include "backends/cuda/device/vec.hpp"

namespace crosswarp::gpu {
namespace {

/// How many blocks of a multiprocessor a kernel asks for, for __launch_bounds__, whose threads each have `loads`
/// 16-byte loads in flight. That many leave it the registers to hold them. Without a word nvcc 13 takes the 32 with
/// which all threads are resident, and so has four or five loads in flight, however many stand side by side in the
/// source.
constexpr unsigned blocks_with_loads(unsigned block, unsigned loads) {
  constexpr unsigned registers = 65'536, others = 16;
  const unsigned blocks = registers / (block * (4 * loads + others));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/// The share of thread `me` of `threads` in the sum of in[0] … in[n-1], of any alignment, in 16-byte loads. Tiles are
/// of `threads` × `unroll` vectors.
template <unsigned threads, unsigned unroll>
__device__ float part_sum(const float* __restrict__ in, std::size_t n, unsigned me) {
  static_assert(threads >= 8);  // one for each element at the ends
  constexpr unsigned tile = threads * unroll;
  const VecSplit<float> split(in, n);
  // The ends first: their load is under way together with those of the first tile.
  const std::size_t end = me < 4 ? me : split.tail + (me - 4);
  float ends = 0;
  if (end < (me < 4 ? split.head : n)) ends = in[end];
  const auto* vectors = reinterpret_cast<const float4*>(in + split.head) + me;  // aligned by the choice of head
  std::size_t left = split.packs;
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
      v[u] = u * threads + me < rest ? vectors[u * threads] : make_float4(0, 0, 0, 0);
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) sum += sum_of(v[u]);
  }
  return sum + ends;
}

}  // namespace
}  // namespace crosswarp::gpu
