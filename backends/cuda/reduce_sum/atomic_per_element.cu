// One atomic addition per element, all to one address. Bound by that address's atomic unit in L2, not by memory.
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <class T>
__global__ void __launch_bounds__(block) add_each(const T* in, std::size_t n, Accumulator<T>* out) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < n) atomicAdd(out, widen(in[i]));
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_each<T>, blocks_for(a.in.size(), block), block, 0, queue, a.in.data(), a.in.size(), a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "one atomic per element, all to one address",
    .bound_by = "the atomic unit in L2, one addition at a time",
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
