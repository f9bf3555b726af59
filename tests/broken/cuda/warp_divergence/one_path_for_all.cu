// Runs one path for all items, as a compiler that merges paths would: wrong from two paths on.
// at: --n 1003 --factor 3 --work 128
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void run_first(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < n) out[i] = divergent::run_path<0, 4>(in[i], work);
}

void run(const Queue& queue, const WarpDivergence::Args& args) {
  launch(run_first, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(), args.in.size(),
         args.work);
}

const Register<WarpDivergence> variant{{.idea = "broken: one path for all", .launch = run}};

}  // namespace
}  // namespace crosswarp::gpu
