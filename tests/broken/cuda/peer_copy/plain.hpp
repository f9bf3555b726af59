// Parts of a plain copy between ranks, both ways.
#pragma once

#include "experiments/peer_copy.hpp"
#include "tests/broken/cuda/plain_ranks.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// n elements, from a rank's input to a rank's output.
__device__ inline void copy_each(const Rank& own, unsigned to, unsigned from, std::size_t n) {
  for (std::size_t i = grid_thread(); i < n; i += grid_threads()) own.out.of[to][i] = own.in.of[from][i];
}

__device__ inline unsigned next(const Rank& own) { return (own.rank + 1) % own.ranks; }
__device__ inline unsigned before(const Rank& own) { return (own.rank + own.ranks - 1) % own.ranks; }

#endif

}  // namespace
}  // namespace crosswarp::gpu
