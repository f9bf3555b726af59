// One warp a row in 16-byte loads, up to sixteen in flight for each lane; no barrier, no shared memory. Bound by memory
// for many rows of a few kilobytes; by the device's other warps, which have nothing to do, for few rows.
#include "backends/cuda/row_sum/row_warps.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const RowSum::Args& args) {
  switch (queue.tuning["unroll"]) {
    case 4:
      return sum_by_warps<4>(queue, args);
    case 8:
      return sum_by_warps<8>(queue, args);
    default:
      return sum_by_warps<16>(queue, args);
  }
}

const Register<RowSum> variant{{
    .idea = "one warp a row, up to sixteen 16-byte loads in flight per lane, no barrier: bound by memory for many rows",
    .improves = "float4",
    .tunings = {{{{"unroll", 16}}}, {{{"unroll", 8}}}, {{{"unroll", 4}}}},
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
