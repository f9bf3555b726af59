// Block-aggregated atomics: a block reduction, then one atomic per block. Bound by one atomic per block, which is left
// of a reduction's cost once its tree is free.
#include "backends/cuda/device/block_reduce.hpp"
#include "experiments/atomic_contention.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T>
__global__ void __launch_bounds__(block) count_by_blocks(std::size_t atomics, T* counter) {
  const std::size_t threads = std::size_t{gridDim.x} * block;
  T mine{0};
  for (std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x; i < atomics; i += threads) mine += T{1};
  const T all = block_reduce<block>(mine, Sum());
  if (threadIdx.x == 0) atomicAdd(counter, all);
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  std::visit(
      [&]<class T>(std::span<T> counters) {
        clear(queue, counters);
        launch(count_by_blocks<T>, args.blocks, block, 0, queue, args.atomics, counters.data());
      },
      args.counters);
}

const Register<AtomicContention> variant{{
    .idea = "one atomic per block, after a block reduction",
    .bound_by = "the number of blocks, then launches",
    .improves = "warp_aggregated",
    .applies = AtomicContention::is_global_on_one,
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::gpu
