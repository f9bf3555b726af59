// Parts of a plain all-reduce, one element at a time, from which broken ones are made.
#pragma once

#include "backends/cuda/all_reduce/peers.hpp"

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

inline Rank rank_of(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  const auto rank = static_cast<unsigned>(a.rank), ranks = static_cast<unsigned>(a.ranks);
  return {inputs(a), outputs(a), a.size(), rank, ranks, workspaces<Flags>(queue)};
}

__device__ inline float sum_at(const Rank& own, std::size_t i, unsigned ranks) {
  float sum = 0;
  for (unsigned r = 0; r < ranks; ++r) sum += own.in.of[r][i];
  return sum;
}

__device__ inline void add_all(const Rank& own) {
  for (std::size_t i = grid_thread(); i < own.n; i += grid_threads())
    own.out.of[own.rank][i] = sum_at(own, i, own.ranks);
}

__device__ inline void sync(const Rank& own, unsigned barrier, unsigned epoch) {
  sync_ranks(own.flags, barrier, own.rank, own.ranks, epoch);
}

template <void (*kernel)(Rank)>
void launch_ranks(const Queue& queue, const AllReduce::Args& args) {
  launch_resident(kernel, 2, 64, 0, queue, rank_of(queue, args));
}

inline std::size_t flags_only(const Queue&, const AllReduce::Args&) { return sizeof(Flags); }

#endif

}  // namespace
}  // namespace crosswarp::gpu
