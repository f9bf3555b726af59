// A cure where paths differ in numbers only: the numbers are data, the code is one. Bound by the multiply-adds,
// whatever the factor.
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void __launch_bounds__(block)
    walk_one_path(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= n) return;
  const auto path = static_cast<unsigned>(i % factor);
  const std::uint32_t a = divergent::square(path), c = divergent::constant(path);
  std::uint32_t x = in[i];
  for (unsigned step = 0; step < work; ++step) x = divergent::step(x, a, c);
  out[i] = x;
}

void walk(const Queue& queue, const WarpDivergence::Args& args) {
  launch(walk_one_path, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(),
         args.in.size(), args.factor, args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "one piece of code, the path's numbers as data: one pass, whatever the factor",
    .improves = "switch_tree",
    .launch = walk,
}};

}  // namespace
}  // namespace crosswarp::gpu
