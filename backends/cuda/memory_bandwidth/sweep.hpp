// Reads a small set over and over, from wherever it lies: the loop of the rungs that measure L1 and shared memory.
// Bound by that memory's port, since there is little beside the loads.
#pragma once

#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

__device__ inline unsigned sum_of(const uint4& v) { return v.x + v.y + (v.z + v.w); }

/// The calling block's share of `sweeps`, dealt out evenly over the grid.
__device__ inline std::uint64_t own_share(std::uint64_t sweeps) {
  return sweeps / gridDim.x + (blockIdx.x < sweeps % gridDim.x);
}

/// The calling thread's share of the sum of `sweeps` passes of its block over a set of `vectors`, modulo 2^32.
/// `load(i, k)` is vector i + k of the set, where k is a constant. From pass to pass each warp moves on to what another
/// one read before, so that no compiler can take a load out of the loop.
template <unsigned block, unsigned unroll, class Load>
__device__ unsigned sweep(const Load& load, std::size_t vectors, std::uint64_t sweeps) {
  static_assert((block & (block - 1)) == 0);
  constexpr std::size_t tile = std::size_t{block} * unroll;
  const std::size_t tiled = vectors / tile * tile;
  unsigned sum = 0, place = threadIdx.x;
  for (std::uint64_t s = 0; s < sweeps; ++s) {
    for (std::size_t first = place; first < tiled; first += tile) {
      uint4 v[unroll];
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) v[u] = load(first, u * block);
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) sum += sum_of(v[u]);
    }
    for (std::size_t i = tiled + place; i < vectors; i += block) sum += sum_of(load(i, 0));
    place = (place + warp_size()) % block;
  }
  return sum;
}

/// From memory that pointers reach.
struct FromPointer {
  const uint4* set;
  __device__ uint4 operator()(std::size_t i, unsigned k) const { return (set + i)[k]; }
};

inline const uint4* vectors_of(const MemoryBandwidth::Args& args) {
  return reinterpret_cast<const uint4*>(args.a.data());
}
inline std::size_t vector_count(const MemoryBandwidth::Args& args) { return args.a.size() / 4; }

/// Blocks of `block` threads for all sweeps: as many as fit on the device at once, where there is a sweep for each.
inline unsigned resident_grid(const Queue& queue, std::uint64_t sweeps, unsigned block) {
  const auto most = static_cast<unsigned>(queue.device.compute_units * queue.device.threads_per_unit) / block;
  return static_cast<unsigned>(std::min<std::uint64_t>(most, sweeps));
}

}  // namespace
}  // namespace crosswarp::gpu
