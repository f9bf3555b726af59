// Several independent accesses per thread, all loads before any store. Bound by the sectors that a warp touches:
// latency is hidden.
#include "backends/cuda/access_pattern/access.hpp"
#include "backends/cuda/device/with_constant.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// A thread's `unroll` accesses are a block apart.
template <AccessOp op, bool random, unsigned unroll>
__global__ void __launch_bounds__(block) move(Accesses all) {
  const AccessOrder& order = all.order;
  const std::uint32_t first = blockIdx.x * (block * unroll) + threadIdx.x, column = blockIdx.y;
  if (column == order.stride) return copy_tail<block>(all);
  std::uint32_t from[unroll], to[unroll];
  float value[unroll];
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u) {
    const std::uint32_t row = first + u * block, i = column * order.rows + row;
    const std::uint32_t p = row < order.rows ? element<random>(all, row, column, i) : 0;
    from[u] = op == AccessOp::scatter ? i : p;
    to[u] = op == AccessOp::gather ? i : p;
  }
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u) value[u] = first + u * block < order.rows ? all.in[from[u]] : 0;
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u)
    if (first + u * block < order.rows) all.out[to[u]] = value[u];
}

void run(const Queue& queue, const AccessPattern::Args& args) {
  with_constant<2, 4, 8>(queue.tuning["each"], [&]<unsigned unroll>() {
    dispatch_pattern(args, [&]<AccessOp op, bool random>() {
      launch(move<op, random, unroll>, grid_for(args.order, block * unroll), block, 0, queue, accesses(args));
    });
  });
}

const Register<AccessPattern> variant{{
    .idea = "four independent accesses per thread, all loads before any store",
    .bound_by = "sectors that a warp touches",
    .improves = "plain",
    .tunings = {{{{"each", 4}}}, {{{"each", 2}}}, {{{"each", 8}}}},
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
