// The block's size is a constant, so that no loop and no branch of the tree is left to run time. Bound by latency: a
// thread has two loads in flight and its block many barriers. After Harris, reduction 6.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// What is left of a tree over `block` values in shared memory, in values[0]: every thread calls it.
template <unsigned block, class Op, class A>
__device__ void unrolled_tree(A* value, unsigned me, Op op) {
#pragma unroll
  for (unsigned stride = block / 2; stride >= warp_size(); stride /= 2) {
    __syncthreads();
    if (me < stride) value[me] = op(value[me], value[me + stride]);
  }
  __syncthreads();
  if (me >= warp_size()) return;
  combine_in_one_warp(value, op);
}

template <unsigned block, class T, class Op>
__global__ void __launch_bounds__(block) reduce_unrolled(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  __shared__ A value[block];
  const Op op;
  const unsigned me = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 2 * block + me;
  value[me] = pair_value(in, n, i, block, op);
  unrolled_tree<block>(value, me, op);
  if (me == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const unsigned grid = tree_blocks<2>(queue, args);
  with_constant<256, 128, 512>(static_cast<unsigned>(queue.tuning["block"]), [&]<unsigned block>() {
    in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
      launch(reduce_unrolled<block, T, Op>, grid, block, 0, queue, a.in.data(), a.in.size(), partials);
    });
  });
}

const Register<ReduceSum> variant{{
    .idea = "the block's size is a constant, every loop unrolled: bound by latency, two elements a thread",
    .improves = "unroll_last_warp",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}, {{{"block", 512}}}},
    .workspace = tree_workspace<2>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
