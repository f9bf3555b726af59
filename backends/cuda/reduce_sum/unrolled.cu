// Completely unrolled: the block size is a template parameter, so that no loop or branch of the tree is left. Bound by
// latency: a thread has two loads in flight, its block many barriers. After Harris, reduction 6.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block, class T, class Op>
__global__ void __launch_bounds__(block) reduce_unrolled(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  __shared__ A value[block];
  const Op op;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 2 * block + tid;
  value[tid] = reduce_pair(in, n, i, block, op);
#pragma unroll
  for (unsigned stride = block / 2; stride >= warp_size(); stride /= 2) {
    __syncthreads();
    if (tid < stride) value[tid] = op(value[tid], value[tid + stride]);
  }
  __syncthreads();
  if (tid < warp_size()) warp_tree(value, op);
  if (tid == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const unsigned grid = tree_blocks<2>(queue, args);
  with_constant<256, 128, 512>(queue.tuning["block"], [&]<unsigned block>() {
    reduce_in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
      launch(reduce_unrolled<block, T, Op>, grid, block, 0, queue, a.in.data(), a.in.size(), partials);
    });
  });
}

const Register<ReduceSum> variant{{
    .idea = "block size as a template parameter, every loop unrolled",
    .bound_by = "latency, two elements per thread",
    .improves = "unroll_last_warp",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}, {{{"block", 512}}}},
    .workspace = tree_workspace<2>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
