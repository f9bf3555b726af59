// Unrolled last warp: the last steps of the tree need only barriers of a warp, none of the block. Bound by instructions
// and the remaining barriers. After Harris, reduction 5, which relied on volatile words: since Volta the lanes of a
// warp need not run in lockstep, and must synchronise.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: one value per thread. The block size is a power of two.
template <class T, class Op>
__global__ void reduce_with_last_warp(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 2 * blockDim.x + tid;
  value[tid] = reduce_pair(in, n, i, blockDim.x, op);
  for (unsigned stride = blockDim.x / 2; stride >= warp_size(); stride /= 2) {
    __syncthreads();
    if (tid < stride) value[tid] = op(value[tid], value[tid + stride]);
  }
  __syncthreads();
  if (tid >= warp_size()) return;
  warp_tree(value, op);
  if (tid == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const unsigned grid = tree_blocks<2>(queue, args);
  reduce_in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
    launch(reduce_with_last_warp<T, Op>, grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(),
           partials);
  });
}

const Register<ReduceSum> variant{{
    .idea = "the tree's last steps unrolled, within one warp",
    .bound_by = "instructions, two elements per thread",
    .improves = "first_add_on_load",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<2>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
