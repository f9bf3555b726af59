// A tree over each block in shared memory, then one atomic for each block. Bound by the n/256 atomics on one address: a
// better tree cannot show in this rung.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void __launch_bounds__(block) add_by_tree(const float* in, std::size_t n, float* out) {
  __shared__ float partial[block];
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0.0f;
  // Neighbouring threads add neighbouring words, so that no two lanes of a warp meet in a bank.
  for (unsigned stride = block / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);  // thread 0 wrote it itself in the last step
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  clear(queue, args.out);
  launch(add_by_tree, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.in.size(),
         args.out.data());
}

const Register<ReduceSum> variant{{
    .idea = "a tree in shared memory, one atomic per 256 elements: bound by these atomics",
    .improves = "atomic_per_element",
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
