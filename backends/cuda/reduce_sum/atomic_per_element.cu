// One atomic addition for each element, all to one address. Bound by that address's atomic unit in L2, not by memory.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void __launch_bounds__(block) add_each(const float* in, std::size_t n, float* out) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  clear(queue, args.out);
  launch(add_each, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.in.size(), args.out.data());
}

const Register<ReduceSum> variant{{
    .idea = "one atomic per element on one address: bound by that address, which takes one addition at a time",
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
