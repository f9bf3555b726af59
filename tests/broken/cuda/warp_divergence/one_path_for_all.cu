// Takes one path for all, as a compiler that merges them would: must be wrong wherever there is a second one.
// at: --n 1003 --factor 3 --work 128
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

__global__ void walk_first(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i < n) out[i] = divergent::walk<0, 4>(in[i], work);
}

void walk(const Queue& queue, const WarpDivergence::Args& args) {
  launch(walk_first, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(),
         args.in.size(), args.work);
}

const Register<WarpDivergence> variant{{.idea = "broken: one path for all", .launch = walk}};

}  // namespace
}  // namespace crosswarp::gpu
