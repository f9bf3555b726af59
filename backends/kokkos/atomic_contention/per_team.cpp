// Team-aggregated atomics: a sum within each team, by shuffles and one word of scratch memory per warp, then one atomic
// per team. Bound by one atomic per team, which is left of a reduction's cost once its tree is free.
#include "backends/kokkos/team_sum.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int threads = is_asynchronous ? 256 : 1;

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<256>>;

template <class T>
void count_into(const Queue& queue, std::span<T> counters, std::size_t atomics, unsigned blocks) {
  T* const counter = counters.data();
  Kokkos::deep_copy(queue.exec, scalar(counters), T(0));
  Policy policy(queue.exec, static_cast<int>(blocks), threads / team_sum_lanes, team_sum_lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(team_sum_bytes<T>)));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        add_team_sum_to(counter, team, [&](int lane) {
          T of_lane = 0;
          for (std::size_t i = static_cast<std::size_t>(team.league_rank()) * threads + static_cast<std::size_t>(lane);
               i < atomics; i += static_cast<std::size_t>(team.league_size()) * threads)
            of_lane += T(1);
          return of_lane;
        });
      });
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit([&](auto counters) { count_into(queue, counters, args.atomics, args.blocks); }, args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "one atomic per team, after a sum by shuffles and scratch memory within it",
    .bound_by = "the number of teams, then launches",
    .improves = "atomic_add",
    .counterparts = {"per_block"},
    .gaps = {{GapClass::tuning,
              "sums over vector lanes are loops over a length that is not a constant, with a vote before each shuffle",
              {"instructions", "branches", "active_cycles"}}},
    .applies = AtomicContention::is_global_on_one,
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::kokkos
