// A tree in shared memory whose stride doubles, with the threads that still add found by a remainder; partials are
// combined by a second launch. Bound by instructions: the lanes that add lie apart, so no warp leaves early, and a
// remainder costs more than the addition. After Harris, "Optimizing parallel reduction in CUDA", reduction 1.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: a value for each thread. The block's size is a power of two.
template <class T, class Op>
__global__ void reduce_by_modulo(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned me = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + me;
  value[me] = i < n ? widen(in[i]) : Op::template identity<A>;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    if (me % (2 * stride) == 0) value[me] = op(value[me], value[me + stride]);
  }
  if (me == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  reduce_by_trees<1>(queue, args,
                     []<class T, class Op>(const ReduceSum::Typed<T>&, Op) { return reduce_by_modulo<T, Op>; });
}

const Register<ReduceSum> variant{{
    .idea =
        "a tree of doubling strides, adding threads found by a remainder: bound by instructions of half-empty warps",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<1>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
