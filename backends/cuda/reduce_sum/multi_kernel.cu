// Recursive launches: each stores one partial per 256 elements, until one is left. No atomics. Bound by latency, one
// element per thread, and by the launches: three at 2^24.
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T, class Op>
__global__ void __launch_bounds__(block) reduce_level(const T* in, std::size_t n, Accumulator<T>* partials) {
  using A = Accumulator<T>;
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  const A value = block_reduce<block>(i < n ? A{widen(in[i])} : Op::template identity<A>, Op());
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

/// Reduces `n` values into `out`. `space` holds the partials of all levels, fewer than n / 128.
template <class T, class Op>
void reduce_levels(const Queue& queue, const T* in, std::size_t n, Accumulator<T>* space, Accumulator<T>* out) {
  const unsigned blocks = blocks_for(n, block);
  Accumulator<T>* const to = blocks == 1 ? out : space;
  launch(reduce_level<T, Op>, blocks, block, 0, queue, in, n, to);
  if (blocks > 1) reduce_levels<Accumulator<T>, Op>(queue, to, blocks, space + blocks, out);
}

std::size_t workspace(const Queue&, const ReduceSum::Args& args) {
  std::size_t partials = 0;
  for (std::size_t n = args.size(); n > 1; n = blocks_for(n, block)) partials += blocks_for(n, block);
  return partials * sizeof(double);
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op) {
    reduce_levels<T, Op>(queue, a.in.data(), a.in.size(), reinterpret_cast<Accumulator<T>*>(queue.workspace.data()),
                         a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "recursive launches, each reducing 256 elements to one, no atomics",
    .bound_by = "latency, one element per thread",
    .improves = "warp_shuffle",
    .workspace = workspace,
    .launch = reduce,
}};

}  // namespace
}  // namespace crosswarp::gpu
