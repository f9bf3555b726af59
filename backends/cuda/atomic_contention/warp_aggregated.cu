// The lanes of a warp that would add to one address let one of them add for all. Bound as before, by a warp size fewer
// atomics where there is one address, by as many as before where there are more addresses than lanes.
#include "backends/cuda/atomic_contention/contention.hpp"

namespace crosswarp::gpu {
namespace {

template <class T, bool in_shared>
__global__ void count_by_warps(std::size_t atomics, unsigned addresses, T* counters) {
  count_in<in_shared>(counters, addresses, [=](T* to) {
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    const unsigned lane = threadIdx.x % warp_size();
    // Lanes count on from the warp's first one, so those that have an addition are the first few of a warp, and every
    // `addresses`-th of them adds to the same address.
    for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x - lane; first < atomics;
         first += threads) {
      const std::size_t left = std::min<std::size_t>(atomics - first, blockDim.x - (threadIdx.x - lane));
      const auto lanes = static_cast<unsigned>(std::min<std::size_t>(left, warp_size()));
      if (lane < std::min(addresses, lanes))
        atomicAdd(to + static_cast<unsigned>(first + lane) % addresses,
                  static_cast<T>((lanes - lane + addresses - 1) / addresses));
    }
  });
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  contend(queue, args, [&]<class T>(std::span<T> counters, auto in_shared) {
    launch(count_by_warps<T, decltype(in_shared)::value>, args.blocks, contending_threads(args), 0, queue, args.atomics,
           counters.size(), counters.data());
  });
}

const Register<AtomicContention> variant{{
    .idea = "one atomic for all lanes of a warp that add to one address: bound by the same unit, asked less often",
    .improves = "per_thread",
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::gpu
