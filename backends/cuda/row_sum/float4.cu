// One block a row in 16-byte loads, four in flight for each thread, from the first aligned element of each row on; one
// barrier. Bound by memory for long rows; for short ones by the barrier and by blocks that come and go.
#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/row_sum/row_part.hpp"
#include "backends/cuda/row_sum/row_tree.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block>
__global__ void __launch_bounds__(block)
    add_row_of_vectors(const float* __restrict__ in, std::size_t rows, std::size_t columns, float* __restrict__ out) {
  constexpr unsigned unroll = 4;
  if (blockIdx.x >= rows) return;
  const float sum = block_reduce<block>(part_sum<block, unroll>(in + blockIdx.x * columns, columns, threadIdx.x), Sum());
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
    .idea = "one block a row in 16-byte loads, four in flight per thread, one barrier: bound by memory for long rows",
    .improves = "ilp",
    .tunings = {{{{"block", 256}}}, {{{"block", 128}}}, {{{"block", 512}}}},
    .applies = has_rows_for_blocks,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
