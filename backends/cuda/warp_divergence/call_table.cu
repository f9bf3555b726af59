// An indirect call through a table of function pointers, as virtual functions compile to: one jump to a lane's path,
// for any number of paths. Bound by one pass per path in a warp.
#include <utility>

#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

template <unsigned path>
__device__ std::uint32_t run(std::uint32_t x, unsigned steps) {
  return divergent::run_path<path, 4>(x, steps);
}

using Path = std::uint32_t (*)(std::uint32_t, unsigned);

template <unsigned... path>
__device__ Path path_at(unsigned i, std::integer_sequence<unsigned, path...>) {
  constexpr Path table[]{run<path>...};
  return table[i];
}

__global__ void __launch_bounds__(block)
    call_path(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= n) return;
  const Path path =
      path_at(static_cast<unsigned>(i % factor), std::make_integer_sequence<unsigned, divergent::paths>{});
  out[i] = path(in[i], work);
}

void launch_calls(const Queue& queue, const WarpDivergence::Args& args) {
  launch(call_path, blocks_for(args.in.size(), block), block, 0, queue, args.in.data(), args.out.data(), args.in.size(),
         args.factor, args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "an indirect call through a table of function pointers",
    .bound_by = "one pass of the work per path in a warp",
    .improves = "switch_tree",
    .launch = launch_calls,
}};

}  // namespace
}  // namespace crosswarp::gpu
