// One access per thread. Bound by the sectors that a warp touches; out of order also by latency, with one load in
// flight per thread.
#include "backends/cuda/access_pattern/access.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <AccessOp op, bool random>
__global__ void __launch_bounds__(block) move(Accesses all) {
  const std::uint32_t row = blockIdx.x * block + threadIdx.x, column = blockIdx.y;
  if (column == all.order.stride) return copy_tail<block>(all);
  if (row >= all.order.rows) return;
  const std::uint32_t i = column * all.order.rows + row, p = element<random>(all, row, column, i);
  all.out[op == AccessOp::gather ? i : p] = all.in[op == AccessOp::scatter ? i : p];
}

void run(const Queue& queue, const AccessPattern::Args& args) {
  dispatch_pattern(args, [&]<AccessOp op, bool random>() {
    launch(move<op, random>, grid_for(args.order, block), block, 0, queue, accesses(args));
  });
}

const Register<AccessPattern> variant{{
    .idea = "one access per thread",
    .bound_by = "sectors that a warp touches, and latency",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
