// Loads, adds and stores: concurrent additions are lost.
// at: --atomics 1003 --blocks 4 --addresses 1 --type u32 --scope global
#include "backends/gpu/kernel.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::gpu {
namespace {

/// All loads come before all stores, so that it is wrong on a device that runs one thread at a time, too.
template <class T>
__global__ void count(std::size_t atomics, unsigned addresses, T* counters) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T before{};
  if (i < atomics) before = counters[i % addresses];
  __syncthreads();
  if (i < atomics) counters[i % addresses] = before + T{1};
}

void launch_count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit(
      [&]<class T>(std::span<T> counters) {
        clear(queue, counters);
        launch(count<T>, (args.atomics + 255) / 256, 256, 0, queue, args.atomics, counters.size(), counters.data());
      },
      args.counters);
}

const Register<AtomicContention> variant{{.idea = "broken: loses additions", .launch = launch_count}};

}  // namespace
}  // namespace crosswarp::gpu
