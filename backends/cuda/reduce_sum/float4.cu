// The grid strides over the array in 16-byte loads, four in flight for each thread; one atomic for each block. Bound by
// memory from about 2^24 elements on, below that by latency and two launches (the result is cleared first).
#include "backends/cuda/reduce_sum/by_atomics.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) { sum_by_atomics(queue, a, queue.tuning["waves"]); });
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
