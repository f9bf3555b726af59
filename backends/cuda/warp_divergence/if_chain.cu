// One test after the other until a lane's path is found, as nested ifs do it. Bound by one pass through the work for
// each path in a warp; the tests come on top, and so do the instruction caches once the paths no longer fit.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// `path` is hidden between the tests: compilers make a switch of a chain that they understand.
template <unsigned candidate, unsigned unroll>
__device__ std::uint32_t walk_by_tests(unsigned path, std::uint32_t x, unsigned steps) {
  if constexpr (candidate + 1 < divergent::paths) {
    if (path != candidate) return walk_by_tests<candidate + 1, unroll>(opaque(path), x, steps);
  }
  return divergent::walk<candidate, unroll>(x, steps);
}

template <unsigned unroll>
__global__ void __launch_bounds__(block)
    test_and_walk(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < n) out[i] = walk_by_tests<0, unroll>(static_cast<unsigned>(i % factor), in[i], work);
}

void walk(const Queue& queue, const WarpDivergence::Args& args) {
  with_constant<4, 32>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch(test_and_walk<unroll>, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(),
           args.in.size(), args.factor, args.work);
  });
}

const Register<WarpDivergence> variant{{
    .idea = "a chain of tests, then the path: a warp goes through the work once for each path of its lanes",
    .tunings = {{{{"unroll", 4}}}, {{{"unroll", 32}}}},
    .launch = walk,
    .instructions = {{"IMAD", divergent::paths * 2 * (4 + 32)}},  // every path is there
}};

}  // namespace
}  // namespace crosswarp::gpu
