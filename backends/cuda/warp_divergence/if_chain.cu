// A chain of tests until a lane's path is found, as nested ifs. Bound by one pass per path in a warp, plus the tests;
// and by the instruction caches once the paths no longer fit.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// `path` is opaque between the tests: otherwise compilers turn the chain into a switch.
template <unsigned candidate, unsigned unroll>
__device__ std::uint32_t run_by_tests(unsigned path, std::uint32_t x, unsigned steps) {
  if constexpr (candidate + 1 < divergent::paths) {
    if (path != candidate) return run_by_tests<candidate + 1, unroll>(opaque(path), x, steps);
  }
  return divergent::run_path<candidate, unroll>(x, steps);
}

template <unsigned unroll>
__global__ void __launch_bounds__(block)
    run_if_chain(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < n) out[i] = run_by_tests<0, unroll>(static_cast<unsigned>(i % factor), in[i], work);
}

void run(const Queue& queue, const WarpDivergence::Args& args) {
  with_constant<4, 32>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch(run_if_chain<unroll>, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(),
           args.in.size(), args.factor, args.work);
  });
}

const Register<WarpDivergence> variant{{
    .idea = "a chain of tests until the lane's path is found",
    .bound_by = "one pass of the work per path in a warp",
    .tunings = {{{{"unroll", 4}}}, {{{"unroll", 32}}}},
    .launch = run,
    .instructions = {{"IMAD", divergent::paths * 2 * (4 + 32)}},  // every path is there
}};

}  // namespace
}  // namespace crosswarp::gpu
