// Vector-aggregated atomics: one lane of a thread adds for all of its vector lanes that share an address. Bound by the
// same atomic units: with one address by a warp size fewer atomics, with more addresses than lanes by as many as
// before.
#include "backends/kokkos/atomic_contention/team_counters.hpp"

namespace crosswarp::kokkos {
namespace {

template <bool in_scratch, class T>
struct CountByLanes {
  T* global;
  unsigned addresses;
  std::size_t atomics;
  unsigned vector_length;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    T* const counters = private_counters<in_scratch>(team, global, addresses);
    const auto size = static_cast<std::size_t>(team.team_size());
    const std::size_t step = static_cast<std::size_t>(team.league_size()) * size * vector_length;
    // `first`: the addition of the first lane. The first `lanes` lanes have one each, and every `addresses`-th of them
    // adds to the same address.
    for (std::size_t first =
             (static_cast<std::size_t>(team.league_rank()) * size + static_cast<std::size_t>(team.team_rank())) *
             vector_length;
         first < atomics; first += step) {
      const unsigned lanes = atomics - first < vector_length ? static_cast<unsigned>(atomics - first) : vector_length;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, addresses < lanes ? addresses : lanes), [&](unsigned lane) {
        Kokkos::atomic_add(counters + static_cast<unsigned>(first + lane) % addresses,
                           static_cast<T>((lanes - lane + addresses - 1) / addresses));
      });
    }
    flush<in_scratch>(team, counters, global, addresses);
  }
};

void count(const Queue& queue, const AtomicContention::Args& args) {
  const int lanes = is_asynchronous ? queue.device.warp_size : 1;
  const int warps = (threads_for(args) + lanes - 1) / lanes;
  dispatch(queue, args, [&]<class T>(std::span<T> counters, auto in_scratch) {
    Kokkos::parallel_for(
        teams_for(queue, args, warps, lanes),
        CountByLanes<decltype(in_scratch)::value, T>{counters.data(), static_cast<unsigned>(counters.size()),
                                                     args.atomics, static_cast<unsigned>(lanes)});
  });
}

const Register<AtomicContention> variant{{
    .idea = "one atomic for all vector lanes of a thread that add to one address",
    .bound_by = "the atomic units, with up to a warp size fewer atomics",
    .improves = "atomic_add",
    .counterparts = {"warp_aggregated"},
    .gaps = {{GapClass::tuning,
              "a range over vector lanes tests and branches more often than a warp's intrinsics",
              {"instructions", "branches", "active_cycles"},
              [](const Point& point) { return !AtomicContention::is_global(point); }}},
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::kokkos
