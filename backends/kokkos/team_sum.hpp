// Team-wide sum: shuffles across a thread's vector lanes, one word per thread in team scratch, shuffles again. Bound by
// its one barrier; Kokkos's own team reduction has a barrier for each of its steps.
#pragma once

#include "backends/kokkos/team_tiles.hpp"

namespace crosswarp::kokkos {
namespace {

/// Vector lanes of a thread: a warp, or half of one of 64 lanes.
inline constexpr int team_sum_lanes = is_asynchronous ? 32 : 1;

/// Adds the sum of `of_lane(lane)` over the lanes of a team, numbered from 0, to `to` by one atomic. Requires vectors
/// of team_sum_lanes and at most as many threads; takes team_sum_bytes() of scratch memory.
template <class T, class Team, class OfLane>
KOKKOS_INLINE_FUNCTION void add_team_sum_to(T* to, const Team& team, const OfLane& of_lane) {
  T* const partials = scratch<T>(team, team_sum_lanes);
  T sum = 0;
  Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(team, team_sum_lanes),
      [&](int lane, T& mine) { mine += of_lane(team.team_rank() * team_sum_lanes + lane); }, sum);
  if (team.team_size() > 1) {
    Kokkos::single(Kokkos::PerThread(team), [&] { partials[team.team_rank()] = sum; });
    team.team_barrier();
    if (team.team_rank() > 0) return;
    sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, team_sum_lanes),
        [&](int lane, T& mine) { mine += lane < team.team_size() ? partials[lane] : T(0); }, sum);
  }
  Kokkos::single(Kokkos::PerThread(team), [&] { Kokkos::atomic_add(to, sum); });
}

template <class T>
constexpr std::size_t team_sum_bytes = team_sum_lanes * sizeof(T) + alignof(Four);

}  // namespace
}  // namespace crosswarp::kokkos
