// Chains of dependent steps in registers, several to a thread: what the rungs of peak_compute share, but for the step
// itself. Bound by the latency of a step until there are enough chains, then by the arithmetic units.
#pragma once

#include <cmath>

#include "backends/cuda/device/stopwatch.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/chain_steps.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::gpu {
namespace {

/// x ← a·x + b, rounded once.
__device__ inline float fused(float x, float a, float b) { return fmaf(x, a, b); }
__device__ inline double fused(double x, double a, double b) { return fma(x, a, b); }
__device__ inline std::uint32_t fused(std::uint32_t x, std::uint32_t a, std::uint32_t b) { return x * a + b; }

template <class T>
struct Fused {
  T a, b;
  __device__ T operator()(T x) const { return fused(x, a, b); }
};

/// Rounded after each of the two, which the compiler must not join.
struct Separate {
  float a, b;
  __device__ float operator()(float x) const { return __fadd_rn(__fmul_rn(x, a), b); }
};

/// b - 1/x, as the language divides.
struct Reciprocal {
  float b;
  __device__ float operator()(float x) const { return b - 1.0f / x; }
};

template <class T>
Fused<T> fused_step(const PeakCompute::Args& args) {
  return {static_cast<T>(args.a), static_cast<T>(args.b)};
}
inline Separate separate_step(const PeakCompute::Args& args) {
  return {static_cast<float>(args.a), static_cast<float>(args.b)};
}

/// `unroll` 0: as the compiler sees fit. The steps of all chains alternate, so that `count` of them are in flight.
template <unsigned count, unsigned unroll, class T, class Step>
__device__ void advance(T (&x)[count], unsigned steps, const Step& step) {
  unsigned done = 0;
  if constexpr (unroll > 1)
    for (; done + unroll <= steps; done += unroll) {
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u)
#pragma unroll
        for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
    }
  for (; done < steps; ++done)
#pragma unroll
    for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
}

/// Takes tiles of block × count chains in turn with the other blocks; chain j of a thread lies j·block behind its
/// first. A thread beyond the last chain computes one that it does not store. A step with `round` is for HalfPair's
/// chains, and has `fold(mixed, x)`. The grid is one-dimensional, of blocks of `block` threads.
template <unsigned block, unsigned count, unsigned unroll, class T, class Step>
__global__ void __launch_bounds__(block)
    run_chains(const T* starts, T* ends, std::size_t chains, unsigned steps, Step step, Elapsed* elapsed) {
  const Stopwatch watch;
  T x[count];
  for (std::size_t tile = std::size_t{blockIdx.x} * block * count; tile < chains;
       tile += std::size_t{gridDim.x} * block * count) {
    const std::size_t first = tile + threadIdx.x;
#pragma unroll
    for (unsigned j = 0; j < count; ++j) x[j] = starts[(first + j * block) % PeakCompute::start_count];
    if constexpr (requires { Step::round; }) {
      T mixed[count];
#pragma unroll
      for (unsigned j = 0; j < count; ++j) mixed[j] = x[j];
      for (unsigned done = 0; done < steps; done += Step::round) {
#pragma unroll
        for (unsigned j = 0; j < count; ++j) x[j] = step.begin(mixed[j]);
        advance<count, unroll>(x, Step::round, step);
#pragma unroll
        for (unsigned j = 0; j < count; ++j) mixed[j] = mixed[j] * HalfPair::multiplier + x[j];
      }
#pragma unroll
      for (unsigned j = 0; j < count; ++j) x[j] = mixed[j];
    } else {
      advance<count, unroll>(x, steps, step);
    }
#pragma unroll
    for (unsigned j = 0; j < count; ++j)
      if (first + j * block < chains) ends[first + j * block] = x[j];
  }
  const Elapsed took = watch.stop(x[0]);
  if (blockIdx.x == 0 && threadIdx.x == 0) *elapsed = took;
}

/// `blocks` 0: as many as there are tiles.
template <unsigned block, unsigned count, unsigned unroll, class T, class Step>
void launch_chains(const Queue& queue, const PeakCompute::Args& args, const Step& step, unsigned blocks = 0) {
  launch(run_chains<block, count, unroll, T, Step>, blocks ? blocks : blocks_for(args.chains, block * count), block, 0,
         queue, args.starts_as<T>(), args.ends_as<T>(), args.chains, args.steps, step, args.elapsed.data());
}

/// What one block can do in tolerable time.
inline bool is_small_f32(const Point& point) {
  return PeakCompute::type_of(point) == PeakCompute::Type::f32 && PeakCompute::work(point) <= 1 << 29;
}
inline bool is_f32(const Point& point) { return PeakCompute::type_of(point) == PeakCompute::Type::f32; }

}  // namespace
}  // namespace crosswarp::gpu
