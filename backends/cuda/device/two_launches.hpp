// The second launch of all rungs that leave a partial for each block: the same for all, so that what differs between
// them is the first one.
#pragma once

#include "backends/cuda/device/by_ticket.hpp"

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

}  // namespace
}  // namespace crosswarp::gpu
