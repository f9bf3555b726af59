// How blocks of a launch find out who is the last of them, which then goes on with what the others left: none waits.
// Bound by two trips to L2, the fence's and the ticket's.
//
// The pattern is that of the CUDA samples' threadFenceReduction (NVIDIA).
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// Whether the calling block is the last of `count` that draw a ticket: it sees what the others wrote before. Every
/// thread must call it, at most once between two barriers. `by_all`: what the others need was written by all threads,
/// not by thread 0 alone. `ticket` is 0 before and after.
template <bool by_all>
__device__ bool is_last_block(unsigned* ticket, unsigned count) {
  __shared__ bool is_last;
  if constexpr (by_all) {
    __threadfence();  // as below
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    if constexpr (!by_all) __threadfence();  // what was written is visible before the ticket says so
    // Wraps to 0 at the last block, so that the next launch finds it clean.
    is_last = atomicInc(ticket, count - 1) == count - 1;
  }
  __syncthreads();
  if (is_last) __threadfence();  // nothing is read before the ticket was drawn
  return is_last;
}

}  // namespace
}  // namespace crosswarp::gpu
