// What variants of the row sum share: a row, or a part of one, by a team or by the vector lanes of a thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/kokkos/four.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::kokkos {

using Teams = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Team = Teams::member_type;

/// Sums of several rows at once, as one thing to reduce.
template <int rows>
struct Sums {
  float of[rows] = {};

  KOKKOS_INLINE_FUNCTION void operator+=(const Sums& other) {
    for (int r = 0; r < rows; ++r) of[r] += other.of[r];
  }
  KOKKOS_INLINE_FUNCTION void operator+=(const volatile Sums& other) volatile {  // which Kokkos 3 asks for
    for (int r = 0; r < rows; ++r) of[r] = of[r] + other.of[r];
  }
};

}  // namespace crosswarp::kokkos

/// Asked for before the first reduction of Sums.
template <int rows>
struct Kokkos::reduction_identity<crosswarp::kokkos::Sums<rows>> {
  KOKKOS_FORCEINLINE_FUNCTION static crosswarp::kokkos::Sums<rows> sum() { return {}; }
};

namespace crosswarp::kokkos {
namespace {  // lambdas of device code must be a file's own: nvcc does not tell those of an inline function apart

/// `league` teams of `threads` in all where threads are a GPU's, `vector` of them side by side; else of one.
inline Teams teams(const Queue& queue, std::size_t league, int threads, int vector) {
  if constexpr (is_asynchronous)
    return Teams(queue.exec, static_cast<int>(league), threads / vector, vector);
  else
    return Teams(queue.exec, static_cast<int>(league), 1, 1);
}

/// Threads of each of these teams that work on things of their own.
inline int threads_of_team(int threads, int vector) { return is_asynchronous ? threads / vector : 1; }

/// As many lanes as have work, a power of two up to a warp.
inline int lanes_for(const Queue& queue, std::size_t work) {
  int lanes = 1;
  while (lanes < queue.device.warp_size && static_cast<std::size_t>(lanes) < work) lanes *= 2;
  return lanes;
}

/// A team a row takes longer to start than to do from here on.
inline bool has_rows_for_teams(const Point& point) { return point.integer("m") <= 1 << 24; }

/// The sum of in[0] … in[n-1], of any alignment. Most of it in 16-byte loads, four at once for each lane: four quarters
/// side by side. What is left at both ends, up to 18 elements, are iterations of the same loop.
struct PartSum {
  const float* in;
  std::size_t n, head, quarter;

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

/// Each row by one thread with its lanes; rows of any length and alignment.
inline void sum_by_threads(const Queue& queue, const RowSum::Args& args, int threads) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), columns = args.columns;
  if (rows == 0) return;
  const int vector = lanes_for(queue, columns);
  const auto per_team = static_cast<std::size_t>(threads_of_team(threads, vector));
  Kokkos::parallel_for(
      teams(queue, (rows + per_team - 1) / per_team, threads, vector), KOKKOS_LAMBDA(const Team& team) {
        const std::size_t row =
            static_cast<std::size_t>(team.league_rank()) * per_team + static_cast<std::size_t>(team.team_rank());
        if (row >= rows) return;
        const PartSum part(in.data() + row * columns, columns);
        float sum = 0;
        Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(team, part.iterations()), part, sum);
        Kokkos::single(Kokkos::PerThread(team), [&] { out(row) = sum; });
      });
}

/// Whether sum_short_rows() can.
inline bool rows_are_of_fours(const RowSum::Args& args) {
  return args.columns % 4 == 0 && reinterpret_cast<std::uintptr_t>(args.in.data()) % sizeof(Four) == 0;
}

/// Eight rows at once by one thread with its lanes, of which each loads a Four of each row. Rows of Fours.
inline void sum_short_rows(const Queue& queue, const RowSum::Args& args, int threads) {
  constexpr int at_once = 8;
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), fours = args.columns / 4;
  if (rows == 0) return;
  const int vector = lanes_for(queue, fours);
  const auto each = static_cast<std::size_t>(threads_of_team(threads, vector)), per_team = each * at_once;
  Kokkos::parallel_for(
      teams(queue, (rows + per_team - 1) / per_team, threads, vector), KOKKOS_LAMBDA(const Team& team) {
        // Threads beside each other have rows beside each other; the rows of one are a team apart.
        const std::size_t first =
            static_cast<std::size_t>(team.league_rank()) * per_team + static_cast<std::size_t>(team.team_rank());
        const auto* const from = reinterpret_cast<const Four*>(in.data());
        Sums<at_once> sums;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, fours),
            [&](std::size_t i, Sums<at_once>& of_lane) {
              Four v[at_once];
              for (int r = 0; r < at_once; ++r) {
                const std::size_t row = first + static_cast<std::size_t>(r) * each;
                v[r] = row < rows ? from[row * fours + i] : Four{0, 0, 0, 0};
              }
              for (int r = 0; r < at_once; ++r) of_lane.of[r] += sum_of(v[r]);
            },
            sums);
        Kokkos::single(Kokkos::PerThread(team), [&] {
          for (int r = 0; r < at_once; ++r)
            if (const std::size_t row = first + static_cast<std::size_t>(r) * each; row < rows) out(row) = sums.of[r];
        });
      });
}

/// How rows are cut for teams.
struct Chunks {
  std::size_t length;  ///< Elements, whole cache lines.
  std::size_t each;    ///< Of a row, at least one.

  Chunks(const RowSum::Args& args, std::size_t elements)
      : length(std::max<std::size_t>((elements + 31) / 32 * 32, 32)) {
    each = std::max<std::size_t>((args.columns + length - 1) / length, 1);
  }
  /// Several for each compute unit, one after the other, but of 32 KiB at least.
  static Chunks fitting(const Queue& queue, const RowSum::Args& args) {
    const auto wanted = 64 * static_cast<std::size_t>(std::max(queue.device.compute_units, 1));
    return {args, std::max<std::size_t>({8192, args.in.size() / wanted, args.columns / 4096})};
  }
};

/// Each chunk by a team; where rows have several, teams add theirs to a row that was cleared before.
inline void sum_by_chunks(const Queue& queue, const RowSum::Args& args, const Chunks& chunks, int threads) {
  const auto in = array(args.in);
  const auto out = array(args.out);
  const std::size_t rows = args.rows(), columns = args.columns, length = chunks.length, each = chunks.each;
  if (rows == 0) return;
  if (each > 1) Kokkos::deep_copy(queue.exec, out, 0.0f);
  Kokkos::parallel_for(
      teams(queue, rows * each, threads, queue.device.warp_size), KOKKOS_LAMBDA(const Team& team) {
        const auto rank = static_cast<std::size_t>(team.league_rank());
        const std::size_t row = rank / each, begin = rank % each * length;
        const std::size_t here = begin + length < columns ? length : columns - begin;
        const PartSum part(in.data() + row * columns + begin, here);
        float sum = 0;
        Kokkos::parallel_reduce(Kokkos::TeamVectorRange(team, part.iterations()), part, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          if (each > 1)
            Kokkos::atomic_add(&out(row), sum);
          else
            out(row) = sum;
        });
      });
}

}  // namespace
}  // namespace crosswarp::kokkos
