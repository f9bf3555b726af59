// Shuffles in place of the shared tree: one barrier instead of eight. Still one atomic for each 256 elements, which
// bounds it just as it bounds its parent: what the shuffles are worth shows only once the atomics are gone.
#include "backends/cuda/device/reduction.hpp"

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
    .idea = "warp shuffles and one barrier, one atomic per 256 elements: bound by these atomics, as its parent is",
    .improves = "shared_tree",
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
