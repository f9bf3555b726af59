// The stride halves in place of doubling: neighbouring threads combine neighbouring words, and no two lanes meet in a
// bank. Bound by instructions and barriers: a thread loads one element. After Harris, reduction 3.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: a value for each thread. The block's size is a power of two.
template <class T, class Op>
__global__ void reduce_sequentially(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned me = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + me;
  value[me] = i < n ? widen(in[i]) : Op::template identity<A>;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (me < stride) value[me] = op(value[me], value[me + stride]);
  }
  if (me == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  reduce_by_trees<1>(queue, args,
                     []<class T, class Op>(const ReduceSum::Typed<T>&, Op) { return reduce_sequentially<T, Op>; });
}

const Register<ReduceSum> variant{{
    .idea =
        "a tree of halving strides, free of bank conflicts: bound by instructions and barriers, one element a thread",
    .improves = "interleaved_strided",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<1>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
