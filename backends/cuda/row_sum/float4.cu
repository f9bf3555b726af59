// One block per row in 16-byte loads, four in flight per thread, from the first aligned element of each row; one
// barrier. Bound by memory bandwidth for long rows; for short ones by the barrier and by starting blocks.
#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/row_sum/thread_sum.hpp"
#include "backends/cuda/row_sum/tree_reduce.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block>
__global__ void __launch_bounds__(block)
    add_row_of_vectors(const float* __restrict__ in, std::size_t rows, std::size_t columns, float* __restrict__ out) {
  constexpr unsigned unroll = 4;
  if (blockIdx.x >= rows) return;
  const float sum =
      block_reduce<block>(thread_sum<block, unroll>(in + blockIdx.x * columns, columns, threadIdx.x), Sum());
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  const auto block = static_cast<unsigned>(queue.tuning["block"]);
  const auto kernel = block == 128   ? add_row_of_vectors<128>
                      : block == 256 ? add_row_of_vectors<256>
                                     : add_row_of_vectors<512>;
  launch(kernel, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(), args.columns,
         args.out.data());
}

const Register<RowSum> variant{{
    .idea = "one block per row in 16-byte loads, four in flight per thread, one barrier",
    .bound_by = "memory bandwidth for long rows",
    .improves = "ilp",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}, {{{"block", 512}}}},
    .applies = suits_block_per_row,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
