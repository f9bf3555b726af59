// The grid strides over the array in 16-byte loads, four in flight for each thread; one atomic for each block. Bound by
// memory from about 2^24 elements on, below that by latency and two launches (the result is cleared first).
#include "backends/cuda/device/reduction.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;

template <class T>
__global__ void __launch_bounds__(block) add_vectors(const T* in, std::size_t n, Accumulator<T>* out) {
  const auto sum = block_value<block>(thread_value<block, unroll>(in, n, Sum()), Sum());
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_vectors<T>, grid_for<T>(queue, a.in.size(), block, unroll, queue.tuning["waves"]), block, 0, queue,
           a.in.data(), a.in.size(), a.out.data());
  });
}

const Register<ReduceSum> variant{{
    .idea = "16-byte loads, four in flight per thread, grid-stride, one atomic per block: bound by memory",
    .improves = "grid_stride",
    .tunings = {{{{"waves", 16}}}, {{{"waves", 4}}}, {{{"waves", 1}}}},
    .applies = ReduceSum::is_sum,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
