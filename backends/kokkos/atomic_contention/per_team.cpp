// Team-aggregated atomics: parallel_reduce within each team, then one atomic per team. Bound by one atomic per team,
// which is left of a reduction's cost once its tree is free.
#include <algorithm>

#include "backends/kokkos/queue.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::kokkos {
namespace {

constexpr int threads = is_asynchronous ? 256 : 1;

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<256>>;

template <class T>
void count_into(const Queue& queue, std::span<T> counters, std::size_t atomics, unsigned blocks) {
  const auto counter = scalar(counters);
  const std::size_t share = (atomics + blocks - 1) / blocks;
  Kokkos::deep_copy(queue.exec, counter, T(0));
  Kokkos::parallel_for(
      Policy(queue.exec, static_cast<int>(blocks), threads), KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::size_t begin = static_cast<std::size_t>(team.league_rank()) * share;
        const std::size_t left = begin < atomics ? atomics - begin : 0;
        T of_team = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, static_cast<unsigned>(left < share ? left : share)),
            [&](unsigned, T& of_thread) { of_thread += T(1); }, of_team);
        Kokkos::single(Kokkos::PerTeam(team), [&] { Kokkos::atomic_add(&counter(), of_team); });
      });
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit([&](auto counters) { count_into(queue, counters, args.atomics, args.blocks); }, args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "one atomic per team, after a parallel_reduce within it",
    .bound_by = "the number of teams, then launches",
    .improves = "atomic_add",
    .counterparts = {"per_block"},
    .applies = AtomicContention::is_global_on_one,
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::kokkos
