// A league of teams for atomic additions, with counters in global memory or private to each team, in its scratch.
#pragma once

#include <algorithm>

#include "backends/kokkos/team_tiles.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::kokkos {
namespace {

/// The team's counters, cleared: in scratch, or `global`. All of its threads must call this, as they must call flush().
template <bool in_scratch, class T, class Team>
KOKKOS_FUNCTION T* private_counters(const Team& team, T* global, unsigned addresses) {
  if constexpr (in_scratch) {
    T* const counters = scratch<T>(team, static_cast<int>(addresses));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, addresses), [&](unsigned a) { counters[a] = T(0); });
    team.team_barrier();
    return counters;
  }
  return global;
}

/// Adds the team's counters to the global ones.
template <bool in_scratch, class T, class Team>
KOKKOS_FUNCTION void flush(const Team& team, const T* counters, T* global, unsigned addresses) {
  if constexpr (in_scratch) {
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, addresses), [&](unsigned a) {
      if (counters[a] != T(0)) Kokkos::atomic_add(global + a, counters[a]);
    });
  }
}

/// Threads per team: on GPUs up to 256, as few as have one addition each, as CUDA's blocks have.
inline int threads_for(const AtomicContention::Args& args) {
  if (!is_asynchronous) return 1;
  return static_cast<int>(std::clamp<std::size_t>((args.atomics + args.blocks - 1) / args.blocks, 1, 256));
}

using Teams = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<256>>;

/// `args.blocks` teams of `threads` with `lanes` each.
inline Teams teams_for(const Queue& queue, const AtomicContention::Args& args, int threads, int lanes) {
  const std::size_t bytes = args.in_shared ? args.addresses() * sizeof(float) + alignof(Four) : 0;
  return Teams(queue.exec, static_cast<int>(args.blocks), threads, lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
}

/// Clears the counters, then calls `launch` with them and with in_scratch as a constant:
/// `[&]<class T>(std::span<T> counters, auto in_scratch)`.
template <class Launch>
void dispatch(const Queue& queue, const AtomicContention::Args& args, Launch&& launch) {
  std::visit(
      [&]<class T>(std::span<T> counters) {
        Kokkos::deep_copy(queue.exec, array(counters), T(0));
        if (args.in_shared)
          launch(counters, std::true_type());
        else
          launch(counters, std::false_type());
      },
      args.counters);
}

}  // namespace
}  // namespace crosswarp::kokkos
