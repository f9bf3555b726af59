// Team policies, and functions that sum rows in 16-byte loads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/kokkos/team_tiles.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::kokkos {

using Teams = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Team = Teams::member_type;

/// A policy of `league` teams: on a GPU of `threads` in all, `vector_length` lanes each; elsewhere of one.
inline Teams teams(const Queue& queue, std::size_t league, int threads, int vector_length) {
  if constexpr (is_asynchronous)
    return Teams(queue.exec, static_cast<int>(league), threads / vector_length, vector_length);
  else
    return Teams(queue.exec, static_cast<int>(league), 1, 1);
}

/// A policy of `league` teams of `threads` in all, `vector_length` lanes each, and of one thread on hosts. The launch
/// bounds let each thread have the registers with which `resident` teams share a multiprocessor.
template <int threads, int resident>
using BoundTeams = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<threads, resident>>;

template <int threads, int resident>
BoundTeams<threads, resident> bound_teams(const Queue& queue, std::size_t league, int vector_length) {
  const int lanes = is_asynchronous ? vector_length : 1;
  return {queue.exec, static_cast<int>(league), team_threads<threads> / lanes, lanes};
}

/// Vector lanes that share a row: a warp, or half of one of 64 lanes.
inline constexpr int row_lanes = is_asynchronous ? 32 : 1;

/// Threads that share each row of a tile that lies in scratch: a power of two, and one where that has at most `enough`
/// elements to add, or where there are no more threads.
template <int threads>
int threads_per_row(int tile_rows, int elements, int enough) {
  int sharing = 1;
  while (sharing < 16 && 2 * sharing * tile_rows <= team_threads<threads> && elements > enough * sharing) sharing *= 2;
  return sharing;
}

/// Kokkos threads of each of these teams; their lanes share one's work.
inline int team_size(int threads, int vector_length) { return is_asynchronous ? threads / vector_length : 1; }

/// As many lanes as have work, a power of two up to a warp.
inline int lanes_for(const Queue& queue, std::size_t work) {
  int lanes = 1;
  while (lanes < queue.device.warp_size && static_cast<std::size_t>(lanes) < work) lanes *= 2;
  return lanes;
}

/// For variants with one team per row: with more rows, starting the teams takes longer than their work.
inline bool suits_team_per_row(const Point& point) { return point.integer("m") <= 1 << 24; }

/// A row, or a chunk of one, of any alignment: single elements before the first vector and behind the last.
struct RowSplit {
  const float* in;
  std::size_t n, head, count;  ///< Elements, elements before the first vector, vectors.

  KOKKOS_INLINE_FUNCTION RowSplit(const float* from, std::size_t elements) : in(from), n(elements) {
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(from) % sizeof(Four) / sizeof(float);
    head = (4 - misaligned) % 4;
    if (head > n) head = n;
    count = (n - head) / 4;
  }
  KOKKOS_INLINE_FUNCTION const Four* vectors() const { return reinterpret_cast<const Four*>(in + head); }
  KOKKOS_INLINE_FUNCTION std::size_t tail() const { return head + 4 * count; }
};

/// The share of lane `lane`, of `lanes`, in the sum of in[0] … in[n-1]. The lanes step through tiles of `lanes` ×
/// `unroll` vectors, all loads of a tile in flight together and without a test between them. The ends are peeled off:
/// one element per lane, loaded before the vectors.
template <int lanes, int unroll>
KOKKOS_INLINE_FUNCTION float lane_sum(const float* in, std::size_t n, int lane) {
  constexpr std::size_t tile = std::size_t{lanes} * unroll;
  const auto first = static_cast<std::size_t>(lane);
  const RowSplit row(in, n);
  float sum = 0, ends = 0;
  if constexpr (lanes >= 8) {
    const std::size_t end = first < 4 ? first : row.tail() + first - 4;
    if (end < (first < 4 ? row.head : n)) ends = in[end];
  } else {
    for (std::size_t i = first; i < row.head; i += lanes) ends += in[i];
    for (std::size_t i = row.tail() + first; i < n; i += lanes) ends += in[i];
  }
  const Four* vectors = row.vectors() + first;
  std::size_t left = row.count;
  for (; left >= tile; left -= tile, vectors += tile) {
    Four v[unroll];
    for (int u = 0; u < unroll; ++u) v[u] = vectors[u * lanes];
    for (int u = 0; u < unroll; ++u) sum += sum_of(v[u]);
  }
  if (left > 0) {
    const int rest = static_cast<int>(left);
    Four v[unroll];
    for (int u = 0; u < unroll; ++u) v[u] = u * lanes + lane < rest ? vectors[u * lanes] : Four{0, 0, 0, 0};
    for (int u = 0; u < unroll; ++u) sum += sum_of(v[u]);
  }
  return sum + ends;
}

/// The sum of in[0] … in[n-1], of any alignment, as a functor for a nested parallel_reduce. Most iterations load four
/// 16-byte vectors, one of each quarter of the array, all in flight together; the last ones take the up to 18 elements
/// at both ends, one each.
struct PartSum {
  const float* in;
  std::size_t n, head, quarter;  ///< Elements, elements before the first vector, vectors per quarter.

  KOKKOS_INLINE_FUNCTION PartSum(const float* from, std::size_t count) : in(from), n(count) {
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(from) % sizeof(Four) / sizeof(float);
    head = misaligned ? 4 - misaligned : 0;
    if (head > n) head = n;
    quarter = (n - head) / 16;
  }
  KOKKOS_INLINE_FUNCTION std::size_t iterations() const { return n - 15 * quarter; }
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i, float& sum) const {
    if (i < quarter) {
      const auto* const v = reinterpret_cast<const Four*>(in + head) + i;
      const Four a = v[0], b = v[quarter], c = v[2 * quarter], d = v[3 * quarter];
      sum += (sum_of(a) + sum_of(b)) + (sum_of(c) + sum_of(d));
    } else {
      const std::size_t end = i - quarter;
      sum += in[end < head ? end : end + 16 * quarter];
    }
  }
};

}  // namespace crosswarp::kokkos
