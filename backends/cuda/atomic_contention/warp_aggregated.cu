// Warp-aggregated atomics: one lane adds for all lanes of its warp that share an address. Bound by the same atomic
// units: with one address by a warp size fewer atomics, with more addresses than lanes by as many as before.
#include "backends/cuda/atomic_contention/counters.hpp"

namespace crosswarp::gpu {
namespace {

template <class T, bool in_shared>
__global__ void count_by_warps(std::size_t atomics, unsigned addresses, T* global) {
  const Counters<in_shared, T> counters(global, addresses);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const unsigned lane = threadIdx.x % warp_size();
  // `first`: the addition of the warp's first lane. The first `lanes` lanes have one each, and every `addresses`-th of
  // them adds to the same address.
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x - lane; first < atomics;
       first += threads) {
    const std::size_t left = std::min<std::size_t>(atomics - first, blockDim.x - (threadIdx.x - lane));
    const auto lanes = static_cast<unsigned>(std::min<std::size_t>(left, warp_size()));
    if (lane < std::min(addresses, lanes))
      atomicAdd(counters.data() + static_cast<unsigned>(first + lane) % addresses,
                static_cast<T>((lanes - lane + addresses - 1) / addresses));
  }
  counters.flush();
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  dispatch(queue, args, [&]<class T>(std::span<T> counters, auto in_shared) {
    launch(count_by_warps<T, decltype(in_shared)::value>, args.blocks, block_size(args), 0, queue, args.atomics,
           counters.size(), counters.data());
  });
}

const Register<AtomicContention> variant{{
    .idea = "one atomic for all lanes of a warp that add to one address",
    .bound_by = "the atomic units, with up to a warp size fewer atomics",
    .improves = "per_thread",
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::gpu
