// Two-launch reductions: the first launch stores one partial per block, the second is the rung last_block over the
// partials. The rungs of Harris's ladder ("Optimizing parallel reduction in CUDA") share this and differ in the first.
#pragma once

#include "backends/cuda/reduce_sum/dispatch.hpp"
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

inline std::size_t two_launches_workspace(const Queue& queue, std::size_t partials) {
  return reduce_sum_last_block::workspace_bytes(queue, 1) + partials * sizeof(double);
}

/// `first` enqueues the launch that stores `blocks` partials: `[&]<class T, class Op>(const ReduceSum::Typed<T>& a,
/// Accumulator<T>* partials, Op)`.
template <class First>
void reduce_in_two_launches(const Queue& queue, const ReduceSum::Args& args, std::size_t blocks, First&& first) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op op) {
    using A = Accumulator<T>;
    auto* const partials =
        reinterpret_cast<A*>(queue.workspace.data() + reduce_sum_last_block::workspace_bytes(queue, 1));
    first(a, partials, op);
    const ReduceSum::Typed<A> second{{partials, blocks}, a.out, nullptr};
    reduce_sum_last_block::reduce(queue, {second, args.operation}, 1);
  });
}

/// Blocks of the tuned size whose threads take `per_thread` elements each.
template <unsigned per_thread>
unsigned tree_blocks(const Queue& queue, const ReduceSum::Args& args) {
  return blocks_for(args.size(), per_thread * static_cast<std::size_t>(queue.tuning["block"]));
}

template <unsigned per_thread>
std::size_t tree_workspace(const Queue& queue, const ReduceSum::Args& args) {
  return two_launches_workspace(queue, tree_blocks<per_thread>(queue, args));
}

/// Elements i and i + distance of `in`, as far as they exist.
template <class Op, class T>
__device__ Accumulator<T> reduce_pair(const T* in, std::size_t n, std::size_t i, unsigned distance, Op op) {
  using A = Accumulator<T>;
  const A first = i < n ? widen(in[i]) : Op::template identity<A>;
  const A second = i + distance < n ? widen(in[i + distance]) : Op::template identity<A>;
  return op(first, second);
}

/// The last steps of a tree in shared memory, by its first warp and without barriers of the block: reduces a warp's
/// worth of values into value[0]. Half a warp's worth beyond them must be readable.
template <class Op, class A>
__device__ void warp_tree(A* value, Op op) {
#pragma unroll
  for (unsigned stride = warp_size() / 2; stride > 0; stride /= 2) {
    const A both = op(value[threadIdx.x], value[threadIdx.x + stride]);  // unused from lane `stride` on
    sync_warp();
    value[threadIdx.x] = both;
    sync_warp();
  }
}

}  // namespace
}  // namespace crosswarp::gpu
