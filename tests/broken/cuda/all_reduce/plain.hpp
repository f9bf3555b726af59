// Parts of a plain all-reduce.
#pragma once

#include "experiments/all_reduce.hpp"
#include "tests/broken/cuda/plain_ranks.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

__device__ inline float sum_at(const Rank& own, std::size_t i, unsigned ranks) {
  float sum = 0;
  for (unsigned r = 0; r < ranks; ++r) sum += own.in.of[r][i];
  return sum;
}

__device__ inline void add_all(const Rank& own) {
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads())
    own.out.of[own.rank][i] = sum_at(own, i, own.ranks);
}

#endif

}  // namespace
}  // namespace crosswarp::gpu
