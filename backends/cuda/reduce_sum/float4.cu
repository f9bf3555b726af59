// The grid strides over the array in 16-byte loads, four in flight for each thread; one atomic for each block. Bound by
// memory from about 2^24 elements on, below that by latency and two launches (the result is cleared first).
#include "backends/cuda/device/block_sum.hpp"
#include "backends/cuda/device/grid_sum.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr unsigned unroll = 4;

__global__ void __launch_bounds__(block) add_vectors(const float* in, std::size_t n, float* out) {
  const float sum = block_sum<block>(thread_sum<block, unroll>(in, n));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  clear(queue, args.out);
  launch(add_vectors, grid_for<block, unroll>(queue, args.in.size()), block, 0, queue, args.in.data(), args.in.size(),
         args.out.data());
}

const Register<ReduceSum> variant{{
    .idea = "16-byte loads, four in flight per thread, grid-stride, one atomic per block: bound by memory",
    .improves = "warp_shuffle",
    .tunings = {{{{"waves", 16}}}, {{{"waves", 4}}}, {{{"waves", 1}}}},
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
