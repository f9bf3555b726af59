// Sequential addressing: halving strides, so that neighbouring threads combine neighbouring words without bank
// conflicts. Bound by instructions and barriers, since a thread loads one element. After Harris, reduction 3.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: one value per thread. The block size is a power of two.
template <class T, class Op>
__global__ void reduce_sequentially(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  value[tid] = i < n ? widen(in[i]) : Op::template identity<A>;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (tid < stride) value[tid] = op(value[tid], value[tid + stride]);
  }
  if (tid == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const unsigned grid = tree_blocks<1>(queue, args);
  reduce_in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
    launch(reduce_sequentially<T, Op>, grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(),
           partials);
  });
}

const Register<ReduceSum> variant{{
    .idea = "shared-memory tree of halving strides, without bank conflicts",
    .bound_by = "instructions and barriers, one element per thread",
    .improves = "interleaved_strided",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<1>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
