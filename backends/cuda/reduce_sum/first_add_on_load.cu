// The first step of the tree is done while loading: half as many blocks, each of two loads a thread. Bound by
// instructions and barriers, half as many an element. After Harris, reduction 4.
#include "backends/cuda/reduce_sum/two_launches.hpp"

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
  value[me] = pair_value(in, n, i, blockDim.x, op);
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (me < stride) value[me] = op(value[me], value[me + stride]);
  }
  if (me == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  reduce_by_trees<2>(queue, args,
                     []<class T, class Op>(const ReduceSum::Typed<T>&, Op) { return reduce_pairs<T, Op>; });
}

const Register<ReduceSum> variant{{
    .idea = "two loads a thread and their sum before the tree, half the blocks: bound by instructions and barriers",
    .improves = "sequential",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<2>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
