// A cure where data decides on the path: a block puts its items in the order of their paths, in shared memory, so that
// its warps are of one path each. Bound by the multiply-adds; the sorting is two atomics' time an item.
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;
constexpr unsigned unroll = 4;
constexpr unsigned tile = 32 * divergent::paths;  // items of a block: a warp of 32 for each path

/// Nothing here knows that paths come in turns: it counts them, as it would where they are data.
__global__ void __launch_bounds__(block)
    sort_and_walk(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  __shared__ unsigned next[divergent::paths];  // of each path: items, then where its next one goes
  __shared__ unsigned item[tile];
  const std::size_t begin = std::size_t{blockIdx.x} * tile;
  const unsigned items = n - begin < tile ? static_cast<unsigned>(n - begin) : tile;
  const auto path_of = [&](unsigned i) { return static_cast<unsigned>((begin + i) % factor); };

  if (threadIdx.x < divergent::paths) next[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < items; i += block) atomicAdd(&next[path_of(i)], 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned before = 0;
    for (unsigned path = 0; path < divergent::paths; ++path) {
      const unsigned of_path = next[path];
      next[path] = before;
      before += of_path;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < items; i += block) item[atomicAdd(&next[path_of(i)], 1u)] = i;
  __syncthreads();
  for (unsigned place = threadIdx.x; place < items; place += block) {
    const unsigned i = item[place];
    out[begin + i] = divergent::walk_by_switch<unroll>(path_of(i), in[begin + i], work);
  }
}

void walk(const Queue& queue, const WarpDivergence::Args& args) {
  if (args.in.empty()) return;
  launch(sort_and_walk, blocks_for(args.in.size(), tile), block, 0, queue, args.in.data(), args.out.data(),
         args.in.size(), args.factor, args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "a block sorts its items by path, so that warps are of one path each: one pass, and the sorting",
    .improves = "switch_tree",
    .launch = walk,
}};

}  // namespace
}  // namespace crosswarp::gpu
