// Leaves out the last addition.
// at: --atomics 1003 --blocks 4 --addresses 1 --type u32 --scope global
#include "backends/host/queue.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::host {
namespace {

void count(const Queue&, const AtomicContention::Args& args) {
  std::visit(
      [&]<class T>(std::span<T> counters) {
        for (T& counter : counters) counter = 0;
        for (std::size_t i = 0; i + 1 < args.atomics; ++i) counters[i % counters.size()] += 1;
      },
      args.counters);
}

const Register<AtomicContention> variant{{.idea = "broken: counts one less", .launch = count}};

}  // namespace
}  // namespace crosswarp::host
