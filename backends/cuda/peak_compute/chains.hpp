// Starts and ends of chains in registers, several per thread: everything around the steps of a peak_compute kernel.
#pragma once

#include <cmath>

#include "backends/cuda/device/stopwatch.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::gpu {
namespace {

// A block takes tiles of block × count chains. Chain j of a thread is first + j · block, so that neighbouring threads
// access neighbouring chains. Threads beyond the last chain compute without storing.

template <unsigned block, unsigned count, class T>
__device__ void load_starts(T (&x)[count], const T* starts, std::size_t first) {
#pragma unroll
  for (unsigned j = 0; j < count; ++j) x[j] = starts[(first + j * block) % PeakCompute::start_count];
}

template <unsigned block, unsigned count, class T>
__device__ void store_ends(const T (&x)[count], T* ends, std::size_t first, std::size_t chains) {
#pragma unroll
  for (unsigned j = 0; j < count; ++j)
    if (first + j * block < chains) ends[first + j * block] = x[j];
}

/// Stores the time of the first block.
__device__ inline void store_elapsed(const Elapsed& took, Elapsed* elapsed) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *elapsed = took;
}

inline bool is_f32(const Point& point) { return PeakCompute::type_of(point) == PeakCompute::Type::f32; }
/// Sizes that a single block computes in tolerable time.
inline bool is_small_f32(const Point& point) { return is_f32(point) && PeakCompute::work(point) <= 1 << 29; }

}  // namespace
}  // namespace crosswarp::gpu
