// Team policies, and functors that sum rows in 16-byte loads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/kokkos/four.hpp"
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
