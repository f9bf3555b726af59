// Every addition is an atomic of its own. Bound by the unit that does the additions to one address one after the other.
#include "backends/cuda/atomic_contention/contention.hpp"

namespace crosswarp::gpu {
namespace {

template <class T, bool in_shared>
__global__ void count_each(std::size_t atomics, unsigned addresses, T* counters) {
  count_in<in_shared>(counters, addresses, [=](T* to) {
    // `addresses` is not known to the compiler, which would otherwise do what warp_aggregated does.
    const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < atomics; i += threads)
      atomicAdd(to + static_cast<unsigned>(i) % addresses, T{1});
  });
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  contend(queue, args, [&]<class T>(std::span<T> counters, auto in_shared) {
    launch(count_each<T, decltype(in_shared)::value>, args.blocks, contending_threads(args), 0, queue, args.atomics,
           counters.size(), counters.data());
  });
}

const Register<AtomicContention> variant{{
    .idea = "one atomic for each addition: bound by the unit of its address, which takes one at a time",
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::gpu
