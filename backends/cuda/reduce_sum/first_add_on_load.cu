// First add during load: each thread combines two elements before the tree, so that half as many blocks do. Bound by
// instructions and barriers, half as many per element. After Harris, reduction 4.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: one value per thread. The block size is a power of two.
template <class T, class Op>
__global__ void reduce_pairs(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 2 * blockDim.x + tid;
  value[tid] = reduce_pair(in, n, i, blockDim.x, op);
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (tid < stride) value[tid] = op(value[tid], value[tid + stride]);
  }
  if (tid == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const unsigned grid = tree_blocks<2>(queue, args);
  reduce_in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
    launch(reduce_pairs<T, Op>, grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(), partials);
  });
}

const Register<ReduceSum> variant{{
    .idea = "two elements per thread combined on load, half the blocks",
    .bound_by = "instructions and barriers",
    .improves = "sequential",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<2>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
