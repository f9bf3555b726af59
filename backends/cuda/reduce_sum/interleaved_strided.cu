// As interleaved_modulo, with the adding threads moved together, so that whole warps leave early; now they lie two,
// four, eight … words apart, and meet in the banks of shared memory. Bound by instructions and these conflicts. After
// Harris, reduction 2.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: a value for each thread. The block's size is a power of two.
template <class T, class Op>
__global__ void reduce_strided(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned me = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + me;
  value[me] = i < n ? widen(in[i]) : Op::template identity<A>;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    if (const unsigned at = 2 * stride * me; at < blockDim.x) value[at] = op(value[at], value[at + stride]);
  }
  if (me == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  reduce_by_trees<1>(queue, args,
                     []<class T, class Op>(const ReduceSum::Typed<T>&, Op) { return reduce_strided<T, Op>; });
}

const Register<ReduceSum> variant{{
    .idea = "a tree of doubling strides by neighbouring threads: bound by instructions, with bank conflicts from its "
            "strides",
    .improves = "interleaved_modulo",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<1>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
