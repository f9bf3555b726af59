// The last steps of the tree are one warp's: no barrier of the block, only the warp's own between reading and writing.
// Bound by instructions and the barriers that are left. After Harris, reduction 5, whose words were volatile: since
// Volta the lanes of a warp need not run in step, and a barrier must say that they do.
#include "backends/cuda/device/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: a value for each thread. The block's size is a power of two.
template <class T, class Op>
__global__ void reduce_with_last_warp(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned me = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 2 * blockDim.x + me;
  const A first = i < n ? widen(in[i]) : Op::template identity<A>;
  const A second = i + blockDim.x < n ? widen(in[i + blockDim.x]) : Op::template identity<A>;
  value[me] = op(first, second);
  for (unsigned stride = blockDim.x / 2; stride >= warp_size(); stride /= 2) {
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
  if (me == 0) partials[blockIdx.x] = value[0];
}

unsigned blocks(const Queue& queue, const ReduceSum::Args& args) {
  return blocks_for(args.size(), 2 * static_cast<std::size_t>(queue.tuning["block"]));
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args& args) {
  return two_launches_workspace(blocks(queue, args));
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const unsigned grid = blocks(queue, args);
  in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
    launch(reduce_with_last_warp<T, Op>, grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(),
           partials);
  });
}

const Register<ReduceSum> variant{{
    .idea = "the last warp goes on by itself, with its own barriers: bound by instructions, two elements a thread",
    .improves = "first_add_on_load",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
