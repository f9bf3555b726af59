// Parts of a plain all-gather.
#pragma once

#include "experiments/all_gather.hpp"
#include "tests/broken/cuda/plain_ranks.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// The array of rank `peer`, as part `to` of the output.
__device__ inline void load_part(const Rank& own, unsigned peer, unsigned to) {
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads())
    own.out.of[own.rank][to * own.n + i] = own.in.of[peer][i];
}

#endif

}  // namespace
}  // namespace crosswarp::gpu
