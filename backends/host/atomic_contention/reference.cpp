// std::atomic_ref from all cores. Bound by the cache line, which moves between cores for each addition.
#include <atomic>

#include "backends/host/queue.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::host {
namespace {

template <class T>
void count_into(std::span<T> counters, std::size_t atomics) {
  std::fill(counters.begin(), counters.end(), T{0});
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < atomics; ++i)
    std::atomic_ref(counters[i % counters.size()]).fetch_add(T{1}, std::memory_order_relaxed);
}

void count(const Queue&, const AtomicContention::Args& args) {
  std::visit([&](auto counters) { count_into(counters, args.atomics); }, args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "an OpenMP loop of atomic additions",
    .bound_by = "the cache line shared by all cores",
    .applies = AtomicContention::is_global,
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::host
