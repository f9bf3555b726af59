// One launch, none to clear the result: each team posts its sum and a flag as one 64-bit word, as in decoupled
// look-back, and the last team waits for the words of the others. Bound by memory; for small n by the launch and one
// trip to L2. Where one team is enough, it stores the result and meets nobody.
#include "backends/kokkos/reduce_sum/vectors.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::kokkos {
namespace {

using Scratch = Kokkos::View<float*, Exec::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Word = std::uint64_t;

constexpr int side = is_asynchronous ? 16 : 1;
constexpr int threads = side * side;  // of a team
constexpr int loads = 4;

/// With bounds, since 8 teams are resident on an H200's multiprocessor up to 32 registers a thread, and 6 from there
/// on.
using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<threads, 8>>;

/// One word a team: its sum below a flag. All are 0 before and after each launch.
struct Partials {
  static constexpr Word flag = Word{1} << 32;

  Word* words;

  KOKKOS_INLINE_FUNCTION void post(std::size_t team, float sum) const {
    Kokkos::atomic_or(words + team, flag | __builtin_bit_cast(std::uint32_t, sum));
  }

  /// The sum of the words first, first + stride … below `count`, which it resets. Waits for each.
  KOKKOS_INLINE_FUNCTION float take(std::size_t first, std::size_t stride, std::size_t count) const {
    constexpr std::size_t at_once = 4;
    float sum = 0;
    for (; first < count; first += at_once * stride) {
      Word word[at_once];
      for (std::size_t i = 0; i < at_once; ++i)  // all on their way together
        word[i] = first + i * stride < count ? take(first + i * stride) : flag;
      for (std::size_t i = 0; i < at_once; ++i) {
        while (word[i] == 0) word[i] = take(first + i * stride);
        sum += __builtin_bit_cast(float, static_cast<std::uint32_t>(word[i]));
      }
    }
    return sum;
  }

 private:
  KOKKOS_INLINE_FUNCTION Word take(std::size_t i) const { return Kokkos::atomic_fetch_and(words + i, Word{0}); }
};

std::size_t most_teams(const Queue& queue) {
  return static_cast<std::size_t>(queue.device.compute_units * queue.tuning["per_unit"]);
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args&) { return most_teams(queue) * sizeof(Word); }

void sum(const Queue& queue, const ReduceSum::Args& args) {
  const ReduceSum::Typed<float>& a = args.f32();
  const Vectors vectors(a.in);
  constexpr std::size_t tile = std::size_t{threads} * loads;
  const std::size_t tiles = std::max<std::size_t>(1, (vectors.count + tile - 1) / tile);
  const std::size_t of_a_team = (tiles + most_teams(queue) - 1) / most_teams(queue);
  const std::size_t teams = (tiles + of_a_team - 1) / of_a_team;  // with as many tiles each, but for the last ones
  const Partials partials{reinterpret_cast<Word*>(queue.workspace.data())};
  const auto out = scalar(a.out);
  Policy policy(queue.exec, static_cast<int>(teams), threads);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(threads + side)));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        const Scratch sums(team.team_scratch(0), threads + side);
        const auto league_rank = static_cast<std::size_t>(team.league_rank());
        const int me = team.team_rank();
        // Of what all threads bring, in two steps: a tree has more barriers. A barrier lies between two calls.
        const auto team_sum = [&](float mine) {
          sums(me) = mine;
          team.team_barrier();
          if (me < side) {
            float column = 0;
            for (int i = 0; i < threads; i += side) column += sums(me + i);
            sums(threads + me) = column;
          }
          team.team_barrier();
          float total = 0;
          for (int i = 0; i < side; ++i) total += sums(threads + i);
          return total;
        };

        float mine = league_rank == 0 && me == 0 ? vectors.sum_of_ends() : 0;
        for (std::size_t t = league_rank; t < tiles; t += teams)
          mine += vectors.sum_of_some<loads>(t * tile + static_cast<std::size_t>(me), threads,
                                             (t + 1) * tile < vectors.count ? (t + 1) * tile : vectors.count);
        float total = team_sum(mine);
        if (league_rank + 1 < teams) {
          if (me == 0) partials.post(league_rank, total);
          return;
        }
        if (teams > 1) {  // the others wait for nobody: they run beside the last one, or ran before it
          team.team_barrier();
          total += team_sum(partials.take(static_cast<std::size_t>(me), threads, teams - 1));
        }
        if (me == 0) out() = total;
      });
}

const Register<ReduceSum> variant{{
    .idea = "one launch: a team posts its sum and a flag as one word, the last one waits for them: bound by memory",
    .improves = "scratch_tree",
    .tunings = {{{{"per_unit", 8}}}, {{{"per_unit", 4}}}, {{{"per_unit", 16}}}},
    .applies = ReduceSum::is_f32_sum,
    .workspace = workspace,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::kokkos
