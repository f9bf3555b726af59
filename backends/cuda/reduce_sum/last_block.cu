// The whole sum in one launch: each block leaves a partial and takes a ticket, the block with the last ticket adds the
// partials. Bound by memory; for small n by the ticket's two trips to L2, where float4 pays a second launch.
//
// The pattern is that of the CUDA samples' threadFenceReduction (NVIDIA).
#include "backends/cuda/device/block_sum.hpp"
#include "backends/cuda/device/grid_sum.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;

/// `ticket` is 0 before and after: atomicInc wraps to 0 at the last block, so that the next launch finds it clean.
__global__ void __launch_bounds__(block)
    add_in_one_launch(const float* in, std::size_t n, float* partials, unsigned* ticket, float* out) {
  const float sum = block_sum<block>(thread_sum<block, unroll>(in, n));
  if (gridDim.x == 1) {  // nobody to wait for
    if (threadIdx.x == 0) *out = sum;
    return;
  }
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();  // the partial is visible before the ticket says so
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();  // no partial is read before the ticket was drawn
  float rest = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block) rest += load_coherent(partials + i);
  rest = block_sum<block>(rest);
  if (threadIdx.x == 0) *out = rest;
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args& args) {
  return sizeof(unsigned) + grid_for<block, unroll>(queue, args.in.size()) * sizeof(float);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  auto* const ticket = reinterpret_cast<unsigned*>(queue.workspace.data());
  auto* const partials = reinterpret_cast<float*>(ticket + 1);
  launch(add_in_one_launch, grid_for<block, unroll>(queue, args.in.size()), block, 0, queue, args.in.data(),
         args.in.size(), partials, ticket, args.out.data());
}

const Register<ReduceSum> variant{{
    .idea = "one launch: partials, a ticket, the last block finishes: bound by memory, by two trips to L2 when small",
    .improves = "float4",
    .tunings = {{{{"waves", 1}}}, {{{"waves", 4}}}, {{{"waves", 16}}}},
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
