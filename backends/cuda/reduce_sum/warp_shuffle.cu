// Warp shuffles in place of the shared-memory tree: one barrier instead of eight. Bound by the n/256 atomics on one
// address, like its parent: what shuffles gain shows once the atomics are gone.
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T>
__global__ void __launch_bounds__(block) add_by_shuffle(const T* in, std::size_t n, Accumulator<T>* out) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  const auto sum = block_reduce<block>(i < n ? widen(in[i]) : Accumulator<T>{0}, Sum());
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_by_shuffle<T>, blocks_for(a.in.size(), block), block, 0, queue, a.in.data(), a.in.size(), a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "warp shuffles and one barrier, one atomic per 256 elements",
    .bound_by = "atomics on one address",
    .improves = "shared_tree",
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
