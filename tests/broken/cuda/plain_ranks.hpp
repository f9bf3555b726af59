// Parts of plain kernels over ranks, one element at a time, from which broken ones are made.
#pragma once

#include "backends/cuda/device/ranks.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// What a rank's kernel is given.
struct Rank {
  Peers<const float> in;
  Peers<float> out;
  std::size_t n;
  unsigned rank, ranks;
  Peers<Flags> flags;
};

/// `args`: of f32.
template <class A>
Rank rank_of(const Queue& queue, const A& args) {
  const auto& a = std::get<0>(args.typed);
  const auto rank = static_cast<unsigned>(a.rank), ranks = static_cast<unsigned>(a.ranks);
  return {inputs(a), outputs(a), a.n, rank, ranks, workspaces<Flags>(queue)};
}

__device__ inline void sync(const Rank& own, unsigned barrier, unsigned epoch) {
  sync_ranks(own.flags, barrier, own.rank, own.ranks, epoch);
}

template <void (*kernel)(Rank), class A>
void launch_ranks(const Queue& queue, const A& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args));
}

template <class A>
std::size_t flags_only(const Queue&, const A&) {
  return sizeof(Flags);
}

#endif

}  // namespace
}  // namespace crosswarp::gpu
