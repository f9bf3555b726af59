// Tree reduction in shared memory, one atomic per block. Bound by the n/256 atomics on one address, so that a better
// tree cannot show here.
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T>
__global__ void __launch_bounds__(block) add_by_tree(const T* in, std::size_t n, Accumulator<T>* out) {
  __shared__ Accumulator<T> partial[block];
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  partial[threadIdx.x] = i < n ? widen(in[i]) : Accumulator<T>{0};
  // Neighbouring threads add neighbouring words: no bank conflicts.
  for (unsigned stride = block / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);  // written by thread 0 itself in the last step
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_by_tree<T>, blocks_for(a.in.size(), block), block, 0, queue, a.in.data(), a.in.size(), a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "shared-memory tree, one atomic per 256 elements",
    .bound_by = "atomics on one address",
    .improves = "shared_serial",
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
