// The kernel of one_stream and streams: a thread per item. Bound by the latency of dependent operations.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/concurrent_kernels.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 128;

__global__ void __launch_bounds__(block)
    run_chains(const std::uint32_t* in, std::uint32_t* out, std::size_t items, std::uint32_t constant, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < items) out[i] = ConcurrentKernels::chain(in[i], constant, work);
}

/// Enqueues one of the kernels.
inline void launch_kernel(const Queue& queue, const ConcurrentKernels::Args& args, unsigned kernel) {
  launch(run_chains, blocks_for(args.items(), block), block, 0, queue, args.in_of(kernel).data(),
         args.out_of(kernel).data(), args.items(), ConcurrentKernels::constant(kernel), args.work);
}

}  // namespace
}  // namespace crosswarp::gpu
