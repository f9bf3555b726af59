// Interleaved addressing without the modulo: active threads are neighbours, so that whole warps retire early, but their
// words lie two, four, eight … apart. Bound by instructions and shared-memory bank conflicts. After Harris,
// reduction 2.
#include "backends/cuda/reduce_sum/two_launches.hpp"

namespace crosswarp::gpu {
namespace {

/// Dynamic shared memory: one value per thread. The block size is a power of two.
template <class T, class Op>
__global__ void reduce_strided(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  A* const value = dynamic_shared<A>();
  const Op op;
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  value[tid] = i < n ? widen(in[i]) : Op::template identity<A>;
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    if (const unsigned at = 2 * stride * tid; at < blockDim.x) value[at] = op(value[at], value[at + stride]);
  }
  if (tid == 0) partials[blockIdx.x] = value[0];
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const unsigned grid = tree_blocks<1>(queue, args);
  reduce_in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op) {
    launch(reduce_strided<T, Op>, grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(), partials);
  });
}

const Register<ReduceSum> variant{{
    .idea = "shared-memory tree of doubling strides by neighbouring threads",
    .bound_by = "instructions and shared-memory bank conflicts",
    .improves = "interleaved_modulo",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}},
    .workspace = tree_workspace<1>,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
