// Kokkos::atomic_add for each addition. Bound by the atomic unit of each address, like handwritten atomics.
#include "backends/kokkos/queue.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::kokkos {
namespace {

template <class T>
void count_into(const Queue& queue, std::span<T> counters, std::size_t atomics) {
  const auto to = array(counters);
  const auto addresses = static_cast<unsigned>(counters.size());
  Kokkos::deep_copy(queue.exec, to, T(0));
  Kokkos::parallel_for(
      range(queue, atomics),
      KOKKOS_LAMBDA(std::size_t i) { Kokkos::atomic_add(&to(static_cast<unsigned>(i) % addresses), T(1)); });
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit([&](auto counters) { count_into(queue, counters, args.atomics); }, args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "Kokkos::atomic_add for each addition, on blocks of Kokkos's choice",
    .bound_by = "the atomic unit of each address",
    .counterparts = {"per_thread"},
    .applies = AtomicContention::is_global,
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::kokkos
