// One atomic per addition on counters in team scratch, which each team adds to the global ones at its end. Bound by the
// atomic unit of each address in shared memory.
#include "backends/kokkos/atomic_contention/team_counters.hpp"

namespace crosswarp::kokkos {
namespace {

template <class T>
struct CountEach {
  T* global;
  unsigned addresses;
  std::size_t atomics;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    T* const counters = private_counters<true>(team, global, addresses);
    const auto size = static_cast<std::size_t>(team.team_size());
    const std::size_t all = static_cast<std::size_t>(team.league_size()) * size;
    for (std::size_t i =
             static_cast<std::size_t>(team.league_rank()) * size + static_cast<std::size_t>(team.team_rank());
         i < atomics; i += all)
      Kokkos::atomic_add(counters + static_cast<unsigned>(i) % addresses, T(1));
    flush<true>(team, counters, global, addresses);
  }
};

void count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit(
      [&]<class T>(std::span<T> counters) {
        Kokkos::deep_copy(queue.exec, array(counters), T(0));
        Kokkos::parallel_for(teams_for(queue, args, threads_for(args), 1),
                             CountEach<T>{counters.data(), static_cast<unsigned>(counters.size()), args.atomics});
      },
      args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "one atomic per addition on counters in team scratch, added up at the end",
    .bound_by = "the atomic unit of each address in shared memory",
    .counterparts = {"per_thread"},
    .gaps = {{GapClass::no_api,
              "Kokkos's atomics take any address: on scratch memory neither the instruction for shared memory nor one "
              "addition for a warp",
              {"bank_conflicts", "stall_long_scoreboard", "instructions"},
              [](const Point& point) { return point.integer("addresses") > 1 || point.word("type") == "u32"; }}},
    .applies = [](const Point& point) { return !AtomicContention::is_global(point); },
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::kokkos
