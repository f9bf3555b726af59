// Single-pass reduction by flagged partials, as in decoupled look-back: each team publishes its sum and a flag as one
// 64-bit word, the last team polls the words of the others. No launch to clear the result. Bound by memory bandwidth;
// for small n by the launch and one trip to L2. A single team stores the result itself.
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

using Scratch = Kokkos::View<float*, Exec::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Word = std::uint64_t;

constexpr int side = is_asynchronous ? 16 : 1;
constexpr int threads = side * side;  // of a team
constexpr int loads = 4;

/// With launch bounds: a multiprocessor of an H200 holds 8 teams of up to 32 registers a thread, and 6 of more.
using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<threads, 8>>;

/// One word per team: a flag above its sum. All are 0 before and after each launch: the reader resets them.
struct FlaggedPartials {
  static constexpr Word flag = Word{1} << 32;

  Word* words;

  KOKKOS_INLINE_FUNCTION void publish(std::size_t team, float sum) const {
    Kokkos::atomic_or(words + team, flag | __builtin_bit_cast(std::uint32_t, sum));
  }

  /// The sum of the words first, first + stride … below `count`, which it resets. Polls until all are there.
  KOKKOS_INLINE_FUNCTION float collect(std::size_t first, std::size_t stride, std::size_t count) const {
    constexpr std::size_t batch = 4;  // loads in flight together
    float sum = 0;
    for (; first < count; first += batch * stride) {
      Word word[batch];
      for (std::size_t i = 0; i < batch; ++i) word[i] = first + i * stride < count ? take(first + i * stride) : flag;
      for (std::size_t i = 0; i < batch; ++i) {
        while (word[i] == 0) word[i] = take(first + i * stride);
        sum += __builtin_bit_cast(float, static_cast<std::uint32_t>(word[i]));
      }
    }
    return sum;
  }

 private:
  /// Loads and resets a word.
  KOKKOS_INLINE_FUNCTION Word take(std::size_t i) const { return Kokkos::atomic_fetch_and(words + i, Word{0}); }
};

std::size_t max_teams(const Queue& queue) {
  return static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) { return max_teams(queue) * sizeof(Word); }

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const ReduceSum::Typed<float>& a = args.f32();
  const Vectors vectors(a.in);
  constexpr std::size_t tile = std::size_t{threads} * loads;
  const std::size_t tiles = std::max<std::size_t>(1, (vectors.count + tile - 1) / tile);
  const std::size_t tiles_per_team = (tiles + max_teams(queue) - 1) / max_teams(queue);
  const std::size_t teams = (tiles + tiles_per_team - 1) / tiles_per_team;  // equal shares, but for the last teams
  const FlaggedPartials partials{reinterpret_cast<Word*>(queue.workspace.data())};
  const auto out = scalar(a.out);
  Policy policy(queue.exec, static_cast<int>(teams), threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(threads + side)));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        const Scratch sums(team.team_scratch(0), threads + side);
        const auto league_rank = static_cast<std::size_t>(team.league_rank());
        const int rank = team.team_rank();
        // The team's sum in two steps, with fewer barriers than a tree. Between two calls there must be a barrier.
        const auto team_sum = [&](float mine) {
          sums(rank) = mine;
          team.team_barrier();
          if (rank < side) {
            float column = 0;
            for (int i = 0; i < threads; i += side) column += sums(rank + i);
            sums(threads + rank) = column;
          }
          team.team_barrier();
          float total = 0;
          for (int i = 0; i < side; ++i) total += sums(threads + i);
          return total;
        };

        float mine = league_rank == 0 && rank == 0 ? vectors.sum_of_ends() : 0;
        for (std::size_t t = league_rank; t < tiles; t += teams)
          mine += vectors.sum_of_strided<loads>(t * tile + static_cast<std::size_t>(rank), threads,
                                                (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count);
        float total = team_sum(mine);
        if (league_rank + 1 < teams) {
          if (rank == 0) partials.publish(league_rank, total);
          return;
        }
        if (teams > 1) {  // no deadlock: the others wait for none, and run beside the last team or ran before it
          team.team_barrier();
          total += team_sum(partials.collect(static_cast<std::size_t>(rank), threads, teams - 1));
        }
        if (rank == 0) out() = total;
      });
}

const Register<ReduceSum> variant{{
    .idea = "one launch: each team publishes its sum and a flag as one word, the last team polls them",
    .bound_by = "memory bandwidth, or the launch when small",
    .improves = "scratch_tree",
    .counterparts = {"flagged_partials"},
    .gaps = {{GapClass::tuning,
              "a launch of parallel_for takes longer on the device",
              {},
              [](const Point& point) { return point.integer("n") < 1 << 12; }}},
    .tunings = {{{{"per_unit", 8}}}, {{{"per_unit", 4}}}, {{{"per_unit", 16}}}},
    .applies = ReduceSum::is_f32_sum,
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
