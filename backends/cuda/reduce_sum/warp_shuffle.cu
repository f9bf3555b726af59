// Shuffles in place of the shared tree: one barrier instead of eight. Still one atomic for each 256 elements, which
// bounds it just as it bounds its parent: what the shuffles are worth shows only once the atomics are gone.
#include "backends/cuda/device/block_sum.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void __launch_bounds__(block) add_by_shuffle(const float* in, std::size_t n, float* out) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  const float sum = block_sum<block>(i < n ? in[i] : 0.0f);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  clear(queue, args.out);
  launch(add_by_shuffle, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.in.size(),
         args.out.data());
}

const Register<ReduceSum> variant{{
    .idea = "warp shuffles and one barrier, one atomic per 256 elements: bound by these atomics, as its parent is",
    .improves = "shared_tree",
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
