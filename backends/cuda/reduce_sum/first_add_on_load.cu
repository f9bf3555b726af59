// The first step of the tree is done while loading: half as many blocks, each of two loads a thread. Bound by
// instructions and barriers, half as many an element. After Harris, reduction 4.
#include "backends/cuda/device/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: a value for each thread. The block's size is a power of two.
template <class T, class Op>
__global__ void reduce_pairs(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned me = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 2 * blockDim.x + me;
  const A first = i < n ? widen(in[i]) : Op::template identity<A>;
  const A second = i + blockDim.x < n ? widen(in[i + blockDim.x]) : Op::template identity<A>;
  value[me] = op(first, second);
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (me < stride) value[me] = op(value[me], value[me + stride]);
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
    launch(reduce_pairs<T, Op>, grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(), partials);
  });
}

const Register<ReduceSum> variant{{
    .idea = "two loads a thread and their sum before the tree, half the blocks: bound by instructions and barriers",
    .improves = "sequential",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
