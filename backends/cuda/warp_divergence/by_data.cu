// Branch-free: where paths differ only in coefficients, these are data, and all lanes execute the same code. Bound by
// the multiply-adds, for any factor.
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void __launch_bounds__(block)
    run_by_data(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= n) return;
  const auto path = static_cast<unsigned>(i % factor);
  const std::uint32_t a = divergent::quadratic(path), c = divergent::constant(path);
  std::uint32_t x = in[i];
  for (unsigned step = 0; step < work; ++step) x = divergent::step(x, a, c);
  out[i] = x;
}

void run(const Queue& queue, const WarpDivergence::Args& args) {
  launch(run_by_data, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(),
         args.in.size(), args.factor, args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "branch-free: one code path, its coefficients as data",
    .bound_by = "multiply-adds, for any factor",
    .improves = "switch_tree",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
