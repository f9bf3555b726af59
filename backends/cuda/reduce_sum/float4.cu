// Vectorized grid-stride reduction (thread_reduce.hpp): 16-byte loads, four in flight per thread, one atomic per block.
// Bound by memory bandwidth; for small n by latency and by two launches, since the result is cleared first.
#include "backends/cuda/reduce_sum/dispatch.hpp"
#include "backends/cuda/reduce_sum/thread_reduce.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace reduce_sum_float4 {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;

template <class T>
__global__ void __launch_bounds__(block) add_vectors(const T* in, std::size_t n, Accumulator<T>* out) {
  const auto sum = block_reduce<block>(thread_reduce<block, unroll>(in, n, Sum()), Sum());
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void reduce(const Queue& queue, const ReduceSum::Args& args, int waves) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
    clear(queue, a.out);
    launch(add_vectors<T>, grid_size<T>(queue, a.in.size(), block, unroll, waves), block, 0, queue, a.in.data(),
           a.in.size(), a.out.data());
  });
}

void launch_tuned(const Queue& queue, const ReduceSum::Args& args) { reduce(queue, args, queue.tuning["waves"]); }

const Register<ReduceSum> variant{{
    .idea = "grid-stride loop of 16-byte loads, four in flight per thread, one atomic per block",
    .bound_by = "memory bandwidth",
    .improves = "grid_stride",
    .tunings = {{{{"waves", 16}}}, {{{"waves", 4}}}, {{{"waves", 1}}}},
    .applies = ReduceSum::is_sum,
    .launch = launch_tuned,
}};

}  // namespace reduce_sum_float4
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
