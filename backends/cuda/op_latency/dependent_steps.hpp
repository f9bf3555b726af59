// A loop of dependent steps, and the bits of its first and last value. Shared by op_latency's kernels.
#pragma once

#include "backends/cuda/device/stopwatch.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::gpu {
namespace {

__device__ inline void from_bits(float& x, std::uint64_t bits) {
  x = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
}
__device__ inline void from_bits(double& x, std::uint64_t bits) { x = __builtin_bit_cast(double, bits); }
__device__ inline void from_bits(std::uint32_t& x, std::uint64_t bits) { x = static_cast<std::uint32_t>(bits); }
__device__ inline std::uint64_t to_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
__device__ inline std::uint64_t to_bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
__device__ inline std::uint64_t to_bits(std::uint32_t x) { return x; }

/// x after `steps` steps, `unroll` of them between two branches. The loops are basic blocks of their own, so that no
/// step moves across a clock read.
template <unsigned unroll, class T, class Step>
__device__ T repeat(T x, unsigned steps, const Step& step) {
  unsigned done = 0;
#pragma unroll 1
  for (; done + unroll <= steps; done += unroll)
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) x = step(x);
#pragma unroll 1
  for (; done < steps; ++done) x = step(x);
  return x;
}

}  // namespace
}  // namespace crosswarp::gpu
