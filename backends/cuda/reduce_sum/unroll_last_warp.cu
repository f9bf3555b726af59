// The last steps of the tree are one warp's: no barrier of the block, only the warp's own between reading and writing.
// Bound by instructions and the barriers that are left. After Harris, reduction 5, whose words were volatile: since
// Volta the lanes of a warp need not run in step, and a barrier must say that they do.
#include "backends/cuda/reduce_sum/two_launches.hpp"

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
  value[me] = pair_value(in, n, i, blockDim.x, op);
  for (unsigned stride = blockDim.x / 2; stride >= warp_size(); stride /= 2) {
    __syncthreads();
    if (me < stride) value[me] = op(value[me], value[me + stride]);
  }
  __syncthreads();
  if (me >= warp_size()) return;
  combine_in_one_warp(value, op);
  if (me == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  reduce_by_trees<2>(queue, args,
                     []<class T, class Op>(const ReduceSum::Typed<T>&, Op) { return reduce_with_last_warp<T, Op>; });
}

const Register<ReduceSum> variant{{
    .idea = "the last warp goes on by itself, with its own barriers: bound by instructions, two elements a thread",
    .improves = "first_add_on_load",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<2>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
