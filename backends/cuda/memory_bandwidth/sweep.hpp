// Repeated reads of a small array: the loop of the rungs that measure L1 and shared memory. Bound by the load port of
// that memory, since there is little beside the loads.
#pragma once

#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

__device__ inline unsigned sum_of(const uint4& v) { return v.x + v.y + (v.z + v.w); }

/// The calling block's share of `sweeps`, evenly over the grid.
__device__ inline std::uint64_t sweeps_of_block(std::uint64_t sweeps) {
  return sweeps / gridDim.x + (blockIdx.x < sweeps % gridDim.x);
}

/// The calling thread's part of the sum of `sweeps` passes of its block over an array of `vectors`, modulo 2^32.
/// `load(i, k)` is vector i + k, where k is a constant. Each pass shifts the warps by one, so that no compiler can
/// hoist a load out of the loop.
template <unsigned block, unsigned unroll, class Load>
__device__ unsigned sweep(const Load& load, std::size_t vectors, std::uint64_t sweeps) {
  static_assert((block & (block - 1)) == 0);
  constexpr std::size_t tile = std::size_t{block} * unroll;
  const std::size_t tiled = vectors / tile * tile;
  unsigned sum = 0, start = threadIdx.x;
  for (std::uint64_t s = 0; s < sweeps; ++s) {
    for (std::size_t first = start; first < tiled; first += tile) {
      uint4 v[unroll];
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) v[u] = load(first, u * block);
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) sum += sum_of(v[u]);
    }
    for (std::size_t i = tiled + start; i < vectors; i += block) sum += sum_of(load(i, 0));
    start = (start + warp_size()) % block;
  }
  return sum;
}

/// Loads from an array that a pointer reaches.
struct FromPointer {
  const uint4* array;
  __device__ uint4 operator()(std::size_t i, unsigned k) const { return (array + i)[k]; }
};

inline const uint4* vectors_of(const MemoryBandwidth::Args& args) {
  return reinterpret_cast<const uint4*>(args.a.data());
}
inline std::size_t vector_count(const MemoryBandwidth::Args& args) { return args.a.size() / 4; }

/// A grid of resident blocks of `block` threads, at most one per sweep.
inline unsigned resident_grid(const Queue& queue, std::uint64_t sweeps, unsigned block) {
  const auto most = static_cast<unsigned>(queue.device.compute_units * queue.device.threads_per_unit) / block;
  return static_cast<unsigned>(std::min<std::uint64_t>(most, sweeps));
}

}  // namespace
}  // namespace crosswarp::gpu
