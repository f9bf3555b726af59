// Kokkos::Experimental::ScatterView with its defaults: atomics on GPUs, a copy of the counters for each thread on hosts
// with several. On GPUs bound by the atomic unit of each address, and nothing is allocated, so that launches can be
// captured; a host allocates the copies at each launch.
#include <Kokkos_ScatterView.hpp>

#include "backends/kokkos/queue.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::kokkos {
namespace {

template <class T>
void count_into(const Queue& queue, std::span<T> counters, std::size_t atomics) {
  const auto to = array(counters);
  const auto addresses = static_cast<unsigned>(counters.size());
  Kokkos::deep_copy(queue.exec, to, T(0));
  const auto scatter = Kokkos::Experimental::create_scatter_view(to);
  Kokkos::parallel_for(
      range(queue, atomics),
      KOKKOS_LAMBDA(std::size_t i) { scatter.access()(static_cast<unsigned>(i) % addresses) += T(1); });
  scatter.contribute_into(queue.exec, to);  // the copies, if there are any
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit([&](auto counters) { count_into(queue, counters, args.atomics); }, args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "ScatterView: atomics on GPUs, a copy of the counters per thread on hosts",
    .bound_by = "the atomic unit of each address",
    .improves = "atomic_add",
    .counterparts = {"per_thread"},
    .applies = AtomicContention::is_global,
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::kokkos
