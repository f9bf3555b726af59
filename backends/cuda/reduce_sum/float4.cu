// A resident grid strides over the array in 16-byte loads, several in flight for each thread; one atomic for each block.
// Bound by memory from about 2^24 elements on, below that by two launches (the result is cleared first) and latency.
#include "backends/cuda/device/block_sum.hpp"
#include "backends/cuda/device/grid_sum.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;
constexpr int unroll = 4;

__global__ void __launch_bounds__(block) add_grid(const float* in, std::size_t n, float* out) {
  const float sum = block_sum<block>(thread_sum<unroll>(in, n));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  clear(queue, args.out);
  const unsigned resident = resident_blocks(queue, queue.tuning["per_sm"]);
  launch(add_grid, std::min(resident, blocks_for(args.in.size(), 4 * block)), block, 0, queue, args.in.data(),
         args.in.size(), args.out.data());
}

const Register<ReduceSum> variant{{
    .idea = "16-byte loads, several in flight, grid-stride, one atomic per block: bound by memory",
    .improves = "warp_shuffle",
    .tunings = {{{{"per_sm", 4}}}, {{{"per_sm", 2}}}, {{{"per_sm", 8}}}, {{{"per_sm", 16}}}},
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
