// From one value a thread to one a grid, in the same launch: each block leaves a partial and takes a ticket, the block
// with the last ticket combines the partials. Bound by three trips to L2: the fence, the ticket, the partials.
#pragma once

#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/reduction.hpp"

namespace crosswarp::gpu {
namespace {

/// What a grid of these blocks needs: a ticket that is 0 before and after every launch, and the partials.
template <class A>
struct Tickets {
  unsigned* ticket;
  A* partials;

  static constexpr std::size_t bytes(unsigned blocks) { return sizeof(double) + blocks * sizeof(A); }
  /// `memory` is aligned to 8 bytes, and was zeroed once.
  explicit Tickets(std::span<std::byte> memory)
      : ticket(reinterpret_cast<unsigned*>(memory.data())),
        partials(reinterpret_cast<A*>(memory.data() + sizeof(double))) {}
};

/// Leaves in `out` what all threads of the grid bring. Every thread must call it, and return behind it.
template <unsigned block, class Op, class A>
__device__ void combine_by_ticket(A value, const Tickets<A>& tickets, A* out, Op op) {
  value = block_reduce<block>(value, op);
  if (gridDim.x == 1) {  // nobody to wait for
    if (threadIdx.x == 0) *out = value;
    return;
  }
  if (threadIdx.x == 0) tickets.partials[blockIdx.x] = value;
  if (!is_last_block<false>(tickets.ticket, gridDim.x)) return;
  A rest = Op::template identity<A>;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block) rest = op(rest, load_coherent(tickets.partials + i));
  rest = block_reduce<block>(rest, op);
  if (threadIdx.x == 0) *out = rest;
}

}  // namespace
}  // namespace crosswarp::gpu
