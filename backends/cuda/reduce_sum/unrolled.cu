// The block's size is a constant, so that no loop and no branch of the tree is left to run time. Bound by latency: a
// thread has two loads in flight and its block many barriers. After Harris, reduction 6.
#include "backends/cuda/device/two_launches.hpp"

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
#pragma unroll
  for (unsigned stride = warp_size() / 2; stride > 0; stride /= 2) {
    const A both = op(value[me], value[me + stride]);  // beyond the stride nobody asks for it
    sync_warp();
    value[me] = both;
    sync_warp();
  }
}

template <unsigned block, class T, class Op>
__global__ void __launch_bounds__(block) reduce_unrolled(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  __shared__ A value[block];
  const Op op;
  const unsigned me = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 2 * block + me;
  const A first = i < n ? widen(in[i]) : Op::template identity<A>;
  const A second = i + block < n ? widen(in[i + block]) : Op::template identity<A>;
  value[me] = op(first, second);
  unrolled_tree<block>(value, me, op);
  if (me == 0) partials[blockIdx.x] = value[0];
}

unsigned blocks(const Queue& queue, const ReduceSum::Args& args) {
  return blocks_for(args.size(), 2 * static_cast<std::size_t>(queue.tuning["block"]));
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args& args) {
  return two_launches_workspace(blocks(queue, args));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const unsigned grid = blocks(queue, args);
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
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
