// The control: the same switch, with all lanes of a warp on items of one path. Bound by the multiply-adds, for any
// factor; with long paths by the instruction caches alone.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// `factor` warps share a stretch of factor · warp_size() items; each takes every factor-th item.
template <unsigned unroll>
__global__ void __launch_bounds__(block)
    run_by_warps(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t thread = std::size_t{blockIdx.x} * block + threadIdx.x;
  const std::size_t warp = thread / warp_size(), lane = thread % warp_size();
  const std::size_t i = (warp / factor * warp_size() + lane) * factor + warp % factor;
  if (i < n) out[i] = divergent::switch_path<unroll>(static_cast<unsigned>(i % factor), in[i], work);
}

void run(const Queue& queue, const WarpDivergence::Args& args) {
  const std::size_t stretch = std::size_t{args.factor} * static_cast<std::size_t>(queue.device.warp_size);
  const std::size_t threads = (args.in.size() + stretch - 1) / stretch * stretch;
  with_constant<4, 32, 128>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch(run_by_warps<unroll>, blocks_for(threads, block), block, 0, queue, args.in.data(), args.out.data(),
           args.in.size(), args.factor, args.work);
  });
}

const Register<WarpDivergence> variant{{
    .idea = "the control: the same switch, all lanes of a warp on one path",
    .bound_by = "multiply-adds, for any factor",
    .improves = "switch_tree",
    .tunings = {{{{"unroll", 4}}}, {{{"unroll", 32}}}, {{{"unroll", 128}}}},
    .launch = run,
    .instructions = {{"IMAD", divergent::paths * 2 * (4 + 32 + 128)}},
}};

}  // namespace
}  // namespace crosswarp::gpu
