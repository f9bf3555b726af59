// Team-wide reduction in two steps: shuffles across a thread's vector lanes, then one word per thread in team scratch.
#pragma once

#include "backends/kokkos/reduce_sum/types.hpp"
#include "backends/kokkos/team_tiles.hpp"

namespace crosswarp::kokkos {
namespace {

/// Vector lanes of a thread: a warp, or half of one of 64 lanes.
inline constexpr int vector_lanes = is_asynchronous ? 32 : 1;

/// Reduces `of_lane(lane)` over the lanes of a team, numbered from 0. Only the team's first thread has the result.
/// `partials`: a word of scratch memory per thread, at most vector_lanes. One barrier.
template <class Op, class A, class Team, class OfLane>
KOKKOS_INLINE_FUNCTION A team_reduce(const Team& team, A* partials, Op op, const OfLane& of_lane) {
  using Reducer = typename Op::template Reducer<A>;
  A value = Op::template identity<A>;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, vector_lanes),
      [&](int lane, A& mine) { mine = op(mine, of_lane(team.team_rank() * vector_lanes + lane)); }, Reducer(value));
  if (team.team_size() == 1) return value;
  Kokkos::single(Kokkos::PerThread(team), [&] { partials[team.team_rank()] = value; });
  team.team_barrier();
  if (team.team_rank() == 0)
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, vector_lanes),
        [&](int lane, A& mine) {
          if (lane < team.team_size()) mine = op(mine, partials[lane]);
        },
        Reducer(value));
  return value;
}

/// Bytes of scratch memory for that, in teams of `threads` lanes in all.
template <class A>
constexpr std::size_t team_reduce_bytes(int threads) {
  return static_cast<std::size_t>(threads) * sizeof(A) + alignof(Four);
}

}  // namespace
}  // namespace crosswarp::kokkos
