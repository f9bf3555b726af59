// A tree over each block in shared memory, then one atomic for each block. Bound by the n/256 atomics on one address: a
// better tree cannot show in this rung.
#include "backends/cuda/device/reduction.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T>
__global__ void __launch_bounds__(block) add_by_tree(const T* in, std::size_t n, Accumulator<T>* out) {
  __shared__ Accumulator<T> partial[block];
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  partial[threadIdx.x] = i < n ? widen(in[i]) : Accumulator<T>{0};
  // Neighbouring threads add neighbouring words, so that no two lanes of a warp meet in a bank.
  for (unsigned stride = block / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);  // thread 0 wrote it itself in the last step
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_by_tree<T>, blocks_for(a.in.size(), block), block, 0, queue, a.in.data(), a.in.size(), a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "a tree in shared memory, one atomic per 256 elements: bound by these atomics",
    .improves = "shared_serial",
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
