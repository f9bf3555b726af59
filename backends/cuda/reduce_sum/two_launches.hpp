// What the rungs that leave a partial for each block share, so that they differ in nothing but how a block comes to it:
// their launch, the end of a tree in one warp, and the second launch.
#pragma once

#include "backends/cuda/reduce_sum/by_ticket.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned finishing_block = 512;
constexpr unsigned finishing_unroll = 2;

template <class A, class Op>
__global__ void __launch_bounds__(finishing_block)
    combine_partials(const A* partials, std::size_t count, Tickets<A> tickets, A* out) {
  combine_by_ticket<finishing_block>(thread_value<finishing_block, finishing_unroll>(partials, count, Op()), tickets,
                                     out, Op());
}

constexpr std::size_t finishing_bytes = 64 << 10;  // tickets and partials of the second launch, whatever its grid

/// Of `partials` values of what is computed with, and of what the second launch needs.
inline std::size_t two_launches_workspace(std::size_t partials) { return finishing_bytes + partials * sizeof(double); }

/// `first(a, partials, op)` enqueues a launch that leaves `count` partials: `[&]<class T, class Op>(const
/// ReduceSum::Typed<T>& a, Accumulator<T>* partials, Op)`. The second one combines them.
template <class First>
void in_two_launches(const Queue& queue, const ReduceSum::Args& args, std::size_t count, First&& first) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op op) {
    using A = Accumulator<T>;
    auto* const partials = reinterpret_cast<A*>(queue.workspace.data() + finishing_bytes);
    first(a, partials, op);
    const unsigned most = (finishing_bytes - sizeof(double)) / sizeof(A);
    const unsigned grid = std::min(most, grid_for<A>(queue, count, finishing_block, finishing_unroll, 1));
    launch(combine_partials<A, Op>, grid, finishing_block, 0, queue, static_cast<const A*>(partials), count,
           Tickets<A>(queue.workspace), a.out.data());
  });
}

/// Blocks of the tuned size that take `per_thread` elements for each of their threads.
template <unsigned per_thread>
unsigned tree_blocks(const Queue& queue, const ReduceSum::Args& args) {
  return blocks_for(args.size(), per_thread * static_cast<std::size_t>(queue.tuning["block"]));
}

template <unsigned per_thread>
std::size_t tree_workspace(const Queue& queue, const ReduceSum::Args& args) {
  return two_launches_workspace(tree_blocks<per_thread>(queue, args));
}

/// Enqueues `kernel<T, Op>` for tree_blocks(), each with a value of shared memory for each thread, and the second
/// launch:
/// `[]<class T, class Op>(const ReduceSum::Typed<T>&, Op) { return kernel<T, Op>; }`, of `(const T* in, std::size_t n,
/// Accumulator<T>* partials)`.
template <unsigned per_thread, class Kernel>
void reduce_by_trees(const Queue& queue, const ReduceSum::Args& args, Kernel kernel) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const unsigned grid = tree_blocks<per_thread>(queue, args);
  in_two_launches(queue, args, grid, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, auto* partials, Op op) {
    launch(kernel(a, op), grid, block, block * sizeof *partials, queue, a.in.data(), a.in.size(), partials);
  });
}

/// What elements i and i + distance of `in` come to, as far as they are there.
template <class Op, class T>
__device__ Accumulator<T> pair_value(const T* in, std::size_t n, std::size_t i, unsigned distance, Op op) {
  using A = Accumulator<T>;
  const A first = i < n ? widen(in[i]) : Op::template identity<A>;
  const A second = i + distance < n ? widen(in[i + distance]) : Op::template identity<A>;
  return op(first, second);
}

/// The last steps of a tree in shared memory, without the block's barriers: what the first warp's values come to, in
/// value[0]. To be called by that warp. Half as many words more must be there to be read.
template <class Op, class A>
__device__ void combine_in_one_warp(A* value, Op op) {
  const unsigned me = threadIdx.x;
#pragma unroll
  for (unsigned stride = warp_size() / 2; stride > 0; stride /= 2) {
    const A both = op(value[me], value[me + stride]);  // beyond the stride nobody asks for it
    sync_warp();
    value[me] = both;
    sync_warp();
  }
}

}  // namespace
}  // namespace crosswarp::gpu
