// Interleaved addressing with a modulo: a tree in shared memory of doubling strides, a second launch for the partials.
// Bound by instructions: active lanes lie apart, so no warp retires early, and a modulo costs more than the addition.
// After Harris, "Optimizing parallel reduction in CUDA", reduction 1.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: one value per thread. The block size is a power of two.
template <class T, class Op>
__global__ void reduce_by_modulo(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  value[tid] = i < n ? widen(in[i]) : Op::template identity<A>;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    if (tid % (2 * stride) == 0) value[tid] = op(value[tid], value[tid + stride]);
  }
  if (tid == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const unsigned grid = tree_blocks<1>(queue, args);
  reduce_in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
    launch(reduce_by_modulo<T, Op>, grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(), partials);
  });
}

const Register<ReduceSum> variant{{
    .idea = "shared-memory tree of doubling strides, active threads found by a modulo",
    .bound_by = "instructions of divergent warps",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<1>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
