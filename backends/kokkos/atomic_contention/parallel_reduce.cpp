// One parallel_reduce over all additions, whose result goes into the counter: no atomics in user code, and one launch,
// since nothing is cleared first. Bound by the end of parallel_reduce: one block adds the partial sums of all others.
#include "backends/kokkos/queue.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::kokkos {
namespace {

template <class T>
void count_into(const Queue& queue, std::span<T> counters, std::size_t atomics) {
  Kokkos::parallel_reduce(
      range(queue, atomics), KOKKOS_LAMBDA(std::size_t, T & sum) { sum += T(1); }, scalar(counters));
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit([&](auto counters) { count_into(queue, counters, args.atomics); }, args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "parallel_reduce over all additions into the counter, in one launch",
    .bound_by = "the end of parallel_reduce",
    .improves = "atomic_add",
    .counterparts = {"per_block"},
    .gaps = {{GapClass::tuning,
              "the end of parallel_reduce: one block adds the partial sums of all others",
              {"duration", "instructions"}}},
    .applies = AtomicContention::is_global_on_one,
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::kokkos
