// A right sum by one thread, for variants that are broken in how they call it.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void add_serially(const float* in, std::size_t n, float* out) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}

/// Enqueues the sum of one set.
inline void add_serially_on(const Queue& queue, const ReduceSum::Typed<float>& set) {
  launch(add_serially, 1, 1, 0, queue, set.in.data(), set.in.size(), set.out.data());
}

}  // namespace
}  // namespace crosswarp::gpu
