// A team for each tile of C, and its scratch memory. On hosts a team has one thread, which loops over the tile.
#pragma once

#include <cstddef>
#include <utility>

#include "backends/kokkos/four.hpp"

namespace crosswarp::kokkos {

/// Threads of a team: `threads` on GPUs, else 1.
template <int threads>
inline constexpr int team_threads = is_asynchronous ? threads : 1;

/// A team for each of `tiles`, with `bytes` of scratch memory: with CUDA at most 48 KiB, less 8 bytes per thread for
/// Kokkos's reductions, since Kokkos does not ask the driver for more at level 0. `resident`: teams that a
/// multiprocessor should hold at once, which limits registers.
template <int threads, int resident>
auto teams_of_tiles(const Queue& queue, std::size_t tiles, std::size_t bytes) {
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, resident>>;
  return Policy(queue.exec, static_cast<int>(tiles), team_threads<threads>)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
}

constexpr std::size_t pieces_of(std::size_t n, std::size_t piece) { return (n + piece - 1) / piece; }

/// Scratch memory of the team for `count` elements, aligned to 16 bytes. Called by all its threads, in the same order.
template <class T, class Team>
KOKKOS_INLINE_FUNCTION T* scratch(const Team& team, int count, int level = 0) {
  return static_cast<T*>(
      team.team_scratch(level).get_shmem_aligned(static_cast<std::ptrdiff_t>(count * sizeof(T)), alignof(Four)));
}

}  // namespace crosswarp::kokkos
