// Single-pass reduction by flagged partials, as in decoupled look-back: each team publishes its partial and a flag as
// 64-bit words, the last team polls the words of the others. No launch to clear the result. Bound by memory bandwidth;
// for small n by the launch and one trip to L2. A single team stores the result itself.
#include "backends/kokkos/reduce_sum/dispatch.hpp"
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "backends/kokkos/team_tiles.hpp"

namespace crosswarp::kokkos {
namespace reduce_sum_flagged_partials {

using Word = std::uint64_t;

constexpr int side = is_asynchronous ? 16 : 1;
constexpr int threads = side * side;  // of a team
constexpr int loads = 4;

/// With launch bounds: a multiprocessor of an H200 holds 8 teams of up to 32 registers a thread, and 6 of up to 40.
template <class A>
using Policy =
    Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<threads, sizeof(A) == 8 ? 6 : 8>>;

/// A word for each 32 bits of a team's partial: a flag above them. All are 0 before and after each launch: the reader
/// resets them.
template <class A>
struct FlaggedPartials {
  static constexpr int words = sizeof(A) / sizeof(std::uint32_t);  // of a partial
  static constexpr Word flag = Word{1} << 32;
  static_assert(words == 1 || words == 2);

  struct Halves {
    std::uint32_t of[words];
  };

  Word* memory;

  KOKKOS_INLINE_FUNCTION void publish(std::size_t team, A value) const {
    const auto halves = __builtin_bit_cast(Halves, value);
    for (int w = 0; w < words; ++w) Kokkos::atomic_or(memory + team * words + w, flag | halves.of[w]);
  }

  /// Reduces the partials first, first + stride … below `count`, and resets them. Polls until all are there.
  template <class Op>
  KOKKOS_INLINE_FUNCTION A collect(std::size_t first, std::size_t stride, std::size_t count, Op op) const {
    constexpr int batch = 4;  // partials in flight together
    A value = Op::template identity<A>;
    for (; first < count; first += batch * stride) {
      Word word[batch][words];
      for (int b = 0; b < batch; ++b)
        for (int w = 0; w < words; ++w) word[b][w] = first + b * stride < count ? take(first + b * stride, w) : 0;
      for (int b = 0; b < batch; ++b) {
        if (first + b * stride >= count) continue;
        Halves halves;
        for (int w = 0; w < words; ++w) {
          while (word[b][w] == 0) word[b][w] = take(first + b * stride, w);
          halves.of[w] = static_cast<std::uint32_t>(word[b][w]);
        }
        value = op(value, __builtin_bit_cast(A, halves));
      }
    }
    return value;
  }

 private:
  /// Loads and resets a word.
  KOKKOS_INLINE_FUNCTION Word take(std::size_t team, int w) const {
    return Kokkos::atomic_fetch_and(memory + team * words + w, Word{0});
  }
};

template <class T, class Op>
void reduce_with(const Queue& queue, const ReduceSum::Typed<T>& a, std::size_t max_teams, Op op) {
  using A = Accumulator<T>;
  const Vectors vectors(a.in);
  constexpr std::size_t tile = std::size_t{threads} * loads;
  const std::size_t tiles = std::max<std::size_t>(1, pieces_of(vectors.count, tile));
  const std::size_t teams = pieces_of(tiles, pieces_of(tiles, max_teams));  // equal shares, but for the last teams
  const FlaggedPartials<A> partials{reinterpret_cast<Word*>(queue.workspace.data())};
  const auto out = scalar(a.out);
  Policy<A> policy(queue.exec, static_cast<int>(teams), threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>((threads + side) * sizeof(A) + sizeof(Four))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const typename Policy<A>::member_type& team) {
        A* const values = scratch<A>(team, threads + side);
        const auto league_rank = static_cast<std::size_t>(team.league_rank());
        const int rank = team.team_rank();
        // In two steps, with fewer barriers than a tree. Between two calls there must be a barrier.
        const auto reduce_in_team = [&](A mine) {
          values[rank] = mine;
          team.team_barrier();
          if (rank < side) {
            A column = Op::template identity<A>;
            for (int i = 0; i < threads; i += side) column = op(column, values[rank + i]);
            values[threads + rank] = column;
          }
          team.team_barrier();
          A all = Op::template identity<A>;
          for (int i = 0; i < side; ++i) all = op(all, values[threads + i]);
          return all;
        };

        A mine = league_rank == 0 && rank == 0 ? vectors.reduce_ends(op) : Op::template identity<A>;
        for (std::size_t t = league_rank; t < tiles; t += teams)
          mine = op(mine, vectors.template reduce_strided<loads>(
                              t * tile + static_cast<std::size_t>(rank), threads,
                              (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count, op));
        A all = reduce_in_team(mine);
        if (league_rank + 1 < teams) {
          if (rank == 0) partials.publish(league_rank, all);
          return;
        }
        if (teams > 1) {  // no deadlock: the others wait for none, and run beside the last team or ran before it
          team.team_barrier();
          all = op(all, reduce_in_team(partials.collect(static_cast<std::size_t>(rank), threads, teams - 1, op)));
        }
        if (rank == 0) out() = all;
      });
}

void reduce(const Queue& queue, const ReduceSum::Args& args, std::size_t max_teams) {
  dispatch(args, [&]<class T, class Op>(const ReduceSum::Typed<T>& a, Op op) { reduce_with(queue, a, max_teams, op); });
}

std::size_t workspace_bytes(std::size_t max_teams) { return max_teams * FlaggedPartials<double>::words * sizeof(Word); }

std::size_t tuned_teams(const Queue& queue) {
  return static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) { return workspace_bytes(tuned_teams(queue)); }

void launch_tuned(const Queue& queue, const ReduceSum::Args& args) { reduce(queue, args, tuned_teams(queue)); }

const Register<ReduceSum> variant{{
    .idea = "one launch: each team publishes its partial and a flag as one word, the last team polls them",
    .bound_by = "memory bandwidth, or the launch when small",
    .improves = "scratch_tree",
    .counterparts = {"flagged_partials"},
    .gaps = {{GapClass::tuning,
              "a launch of parallel_for takes longer on the device",
              {},
              [](const Point& point) { return point.integer("n") <= 1 << 12; }}},
    .tunings = {{{{"per_unit", 8}}}, {{{"per_unit", 4}}}, {{{"per_unit", 16}}}},
    .workspace = workspace,
    .launch = launch_tuned,
}};

}  // namespace reduce_sum_flagged_partials
}  // namespace crosswarp::kokkos
