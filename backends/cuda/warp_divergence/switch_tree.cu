// A switch, which compiles to a binary tree of tests, five deep. Bound by one pass per path in a warp, and by the
// instruction caches once the paths no longer fit: 32 paths of 128 steps are 128 KiB of code.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <unsigned unroll>
__global__ void __launch_bounds__(block)
    run_switch(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < n) out[i] = divergent::switch_path<unroll>(static_cast<unsigned>(i % factor), in[i], work);
}

void run(const Queue& queue, const WarpDivergence::Args& args) {
  with_constant<4, 32, 128>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch(run_switch<unroll>, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(),
           args.in.size(), args.factor, args.work);
  });
}

const Register<WarpDivergence> variant{{
    .idea = "a switch, compiled to a binary tree of tests",
    .bound_by = "one pass of the work per path in a warp",
    .improves = "if_chain",
    .tunings = {{{{"unroll", 4}}}, {{{"unroll", 32}}}, {{{"unroll", 128}}}},
    .launch = run,
    .instructions = {{"IMAD", divergent::paths * 2 * (4 + 32 + 128)}},  // every path is there
}};

}  // namespace
}  // namespace crosswarp::gpu
