// Serial sum in shared memory: thread 0 adds its block's elements one by one, then one atomic per block. Bound by the
// n/256 atomics on one address, which hide that 255 of 256 threads idle.
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T>
__global__ void __launch_bounds__(block) add_by_one_thread(const T* in, std::size_t n, Accumulator<T>* out) {
  __shared__ Accumulator<T> element[block];
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  element[threadIdx.x] = i < n ? widen(in[i]) : Accumulator<T>{0};
  __syncthreads();
  if (threadIdx.x != 0) return;
  Accumulator<T> sum{0};
  for (unsigned t = 0; t < block; ++t) sum += element[t];
  atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_by_one_thread<T>, blocks_for(a.in.size(), block), block, 0, queue, a.in.data(), a.in.size(),
           a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "thread 0 adds the elements of its block, one atomic per 256 elements",
    .bound_by = "atomics on one address",
    .improves = "atomic_per_element",
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
