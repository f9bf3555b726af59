// A grid's partial sums added by atomics, one for each block, to a result that another launch has cleared. In a row of
// launches that other one hides behind the end of the one before it.
#pragma once

#include "backends/cuda/device/reduction.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned by_atomics_block = 512;
constexpr unsigned by_atomics_unroll = 4;

template <class T>
__global__ void __launch_bounds__(by_atomics_block) add_vectors(const T* in, std::size_t n, Accumulator<T>* out) {
  const auto sum =
      block_reduce<by_atomics_block>(thread_value<by_atomics_block, by_atomics_unroll>(in, n, Sum()), Sum());
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

/// As grid_for() has it, of `waves`.
template <class T>
void sum_by_atomics(const Queue& queue, const ReduceSum::Typed<T>& a, int waves) {
  clear(queue, a.out);
  launch(add_vectors<T>, grid_for<T>(queue, a.in.size(), by_atomics_block, by_atomics_unroll, waves), by_atomics_block,
         0, queue, a.in.data(), a.in.size(), a.out.data());
}

}  // namespace
}  // namespace crosswarp::gpu
