// One atomic per addition. Bound by the atomic unit of each address, one addition at a time.
#include "backends/cuda/atomic_contention/counters.hpp"

namespace crosswarp::gpu {
namespace {

template <class T, bool in_shared>
__global__ void count_each(std::size_t atomics, unsigned addresses, T* global) {
  const Counters<in_shared, T> counters(global, addresses);
  // The compiler must not know `addresses`: it would aggregate by warps, as warp_aggregated does.
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < atomics; i += threads)
    atomicAdd(counters.data() + static_cast<unsigned>(i) % addresses, T{1});
  counters.flush();
}

void count(const Queue& queue, const AtomicContention::Args& args) {
  dispatch(queue, args, [&]<class T>(std::span<T> counters, auto in_shared) {
    launch(count_each<T, decltype(in_shared)::value>, args.blocks, block_size(args), 0, queue, args.atomics,
           counters.size(), counters.data());
  });
}

const Register<AtomicContention> variant{{
    .idea = "one atomic per addition",
    .bound_by = "the atomic unit of each address, one addition at a time",
    .launch = count,
}};

}  // namespace
}  // namespace crosswarp::gpu
