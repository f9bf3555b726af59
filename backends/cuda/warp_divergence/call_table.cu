// A call through a table of functions, as virtual functions make it: one jump to a lane's path, whatever their number.
// Bound by one pass through the work for each path in a warp.
#include <utility>

#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <unsigned path>
__device__ std::uint32_t walk_path(std::uint32_t x, unsigned steps) {
  return divergent::walk<path, 4>(x, steps);
}

using Path = std::uint32_t (*)(std::uint32_t, unsigned);

template <unsigned... path>
__device__ Path path_at(unsigned i, std::integer_sequence<unsigned, path...>) {
  constexpr Path table[]{walk_path<path>...};
  return table[i];
}

__global__ void __launch_bounds__(block)
    call_and_walk(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= n) return;
  const Path path =
      path_at(static_cast<unsigned>(i % factor), std::make_integer_sequence<unsigned, divergent::paths>{});
  out[i] = path(in[i], work);
}

void walk(const Queue& queue, const WarpDivergence::Args& args) {
  launch(call_and_walk, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(),
         args.in.size(), args.factor, args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "a call through a table of functions: a warp goes through the work once for each path of its lanes",
    .improves = "switch_tree",
    .launch = walk,
}};

}  // namespace
}  // namespace crosswarp::gpu
