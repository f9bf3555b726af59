// Single-pass reduction by flagged partials, as in decoupled look-back: each team publishes its partial and a flag as
// 64-bit words, the last team polls the words of the others and reduces them together with its own elements. A team
// reduces by shuffles, and one barrier. No launch to clear the result. Bound by memory bandwidth; for small n by the
// launch and one trip to L2.
#include <cstring>

#include "backends/kokkos/reduce_sum/dispatch.hpp"
#include "backends/kokkos/reduce_sum/team_reduce.hpp"
#include "backends/kokkos/reduce_sum/vectors.hpp"

namespace crosswarp::kokkos {
namespace reduce_sum_flagged_partials {

using Word = std::uint64_t;

constexpr int lanes = team_threads<256>;  // of a team
constexpr int loads = 4;

/// With launch bounds: a multiprocessor of an H200 holds 8 teams of up to 32 registers a thread, and 6 of more.
using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<256, 8>>;

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
  // One load per thread while that leaves each multiprocessor a team or two: shorter teams end earlier.
  const std::size_t few = 2 * static_cast<std::size_t>(std::max(queue.device.compute_units, 1)) * lanes;
  const std::size_t tile = is_asynchronous && vectors.count <= few ? lanes : lanes * loads;
  const std::size_t tiles = std::max<std::size_t>(1, pieces_of(vectors.count, tile));
  const std::size_t teams = pieces_of(tiles, pieces_of(tiles, max_teams));  // equal shares, but for the last teams
  const FlaggedPartials<A> partials{reinterpret_cast<Word*>(queue.workspace.data())};
  const auto out = scalar(a.out);
  Policy policy(queue.exec, static_cast<int>(teams), lanes / vector_lanes, vector_lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team_reduce_bytes<A>(lanes / vector_lanes))));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        A* const words = scratch<A>(team, team.team_size());
        const auto league_rank = static_cast<std::size_t>(team.league_rank());
        const bool is_last = league_rank + 1 == teams;
        const A value = team_reduce(team, words, op, [&](int lane) {
          const auto first = static_cast<std::size_t>(lane);
          A mine = league_rank == 0 && lane == 0 ? vectors.reduce_ends(op) : Op::template identity<A>;
          for (std::size_t t = league_rank; t < tiles; t += teams)
            mine = op(mine, vectors.template reduce_strided<loads>(
                                t * tile + first, lanes,
                                (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count, op));
          // No deadlock: the others wait for none, and run beside the last team or ran before it.
          return is_last ? op(mine, partials.collect(first, lanes, teams - 1, op)) : mine;
        });
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          if (is_last)
            out() = value;
          else
            partials.publish(league_rank, value);
        });
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
              [](const Point& point) { return point.integer("n") < 1 << 12; }}},
    .tunings = {{{{"per_unit", 8}}}, {{{"per_unit", 4}}}, {{{"per_unit", 16}}}},
    .workspace = workspace,
    .launch = launch_tuned,
}};

}  // namespace reduce_sum_flagged_partials
}  // namespace crosswarp::kokkos
