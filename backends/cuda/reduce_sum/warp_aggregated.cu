// Warp shuffles, then shared-memory atomics between the warps, one global atomic per block. Bound by the n/256 atomics
// on one address, like its parent.
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T>
__global__ void __launch_bounds__(block) add_by_warps(const T* in, std::size_t n, Accumulator<T>* out) {
  using A = Accumulator<T>;
  __shared__ A sum;
  if (threadIdx.x == 0) sum = A{0};
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  const A of_warp = warp_reduce(i < n ? widen(in[i]) : A{0}, Sum());
  __syncthreads();
  if (threadIdx.x % warp_size() == 0) atomicAdd(&sum, of_warp);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_by_warps<T>, blocks_for(a.in.size(), block), block, 0, queue, a.in.data(), a.in.size(), a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "warp shuffles, shared atomics between warps, one global atomic per 256 elements",
    .bound_by = "global atomics on one address",
    .improves = "shared_tree",
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
