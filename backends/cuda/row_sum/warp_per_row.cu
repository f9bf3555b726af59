// One warp per row in 16-byte loads, up to sixteen in flight per lane; no barrier, no shared memory. Bound by memory
// bandwidth for many rows of a few kilobytes; few rows leave most warps of the device idle.
#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/row_sum/dispatch.hpp"
#include "backends/cuda/row_sum/thread_sum.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace row_sum_warp_per_row {

constexpr unsigned block = 128;

template <unsigned unroll>
__global__ void __launch_bounds__(block, blocks_for_loads(block, unroll))
    add_rows_by_warps(const float* __restrict__ in, std::size_t rows, std::size_t columns, float* __restrict__ out) {
  const std::size_t row = std::size_t{blockIdx.x} * (block / warp_size()) + threadIdx.x / warp_size();
  if (row >= rows) return;
  const unsigned lane = threadIdx.x % warp_size();
  const float sum = warp_reduce(thread_sum<warp_size(), unroll>(in + row * columns, columns, lane), Sum());
  if (lane == 0) out[row] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args, int unroll) {
  with_constant<4, 8, 16>(unroll, [&]<unsigned unroll>() {
    const auto rows_per_block = block / static_cast<unsigned>(queue.device.warp_size);
    launch(add_rows_by_warps<unroll>, blocks_for(args.rows(), rows_per_block), block, 0, queue, args.in.data(),
           args.rows(), args.columns, args.out.data());
  });
}

void launch_tuned(const Queue& queue, const RowSum::Args& args) { sum(queue, args, queue.tuning["unroll"]); }

const Register<RowSum> variant{{
    .idea = "one warp per row, up to sixteen 16-byte loads in flight per lane, no barrier",
    .bound_by = "memory bandwidth for many rows",
    .improves = "float4",
    .tunings = {{{{"unroll", 16}}}, {{{"unroll", 8}}}, {{{"unroll", 4}}}},
    .launch = launch_tuned,
}};

}  // namespace row_sum_warp_per_row
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
