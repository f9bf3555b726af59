// Parts of a plain reduce-scatter.
#pragma once

#include "experiments/reduce_scatter.hpp"
#include "tests/broken/cuda/plain_ranks.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// The sum of part `part` of the first `ranks` ranks.
__device__ inline void add_part(const Rank& own, unsigned part, unsigned ranks) {
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads()) {
    float sum = 0;
    for (unsigned r = 0; r < ranks; ++r) sum += own.in.of[r][part * own.n + i];
    own.out.of[own.rank][i] = sum;
  }
}

#endif

}  // namespace
}  // namespace crosswarp::gpu
