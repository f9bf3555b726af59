// Regroups items by path: a counting sort in shared memory gives each warp items of one path. Bound by the
// multiply-adds; the sort takes two shared-memory atomics per item.
#include "backends/gpu/kernel.hpp"
#include "experiments/warp_divergence.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;
constexpr unsigned unroll = 4;
constexpr unsigned tile = 32 * divergent::paths;  // items of a block: a warp of 32 per path

/// Does not rely on the order of paths: it counts them, as if they came from data.
__global__ void __launch_bounds__(block)
    run_sorted(const std::uint32_t* in, std::uint32_t* out, std::size_t n, unsigned factor, unsigned work) {
  __shared__ unsigned next[divergent::paths];  // items of each path; then the index of its next item
  __shared__ unsigned item[tile];
  const std::size_t begin = std::size_t{blockIdx.x} * tile;
  const unsigned items = n - begin < tile ? static_cast<unsigned>(n - begin) : tile;
  const auto path_of = [&](unsigned i) { return static_cast<unsigned>((begin + i) % factor); };

  if (threadIdx.x < divergent::paths) next[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < items; i += block) atomicAdd(&next[path_of(i)], 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;  // exclusive prefix sum
    for (unsigned path = 0; path < divergent::paths; ++path) {
      const unsigned count = next[path];
      next[path] = sum;
      sum += count;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < items; i += block) item[atomicAdd(&next[path_of(i)], 1u)] = i;
  __syncthreads();
  for (unsigned sorted = threadIdx.x; sorted < items; sorted += block) {
    const unsigned i = item[sorted];
    out[begin + i] = divergent::switch_path<unroll>(path_of(i), in[begin + i], work);
  }
}

void run(const Queue& queue, const WarpDivergence::Args& args) {
  if (args.in.empty()) return;
  launch(run_sorted, blocks_for(args.in.size(), tile), block, 0, queue, args.in.data(), args.out.data(), args.in.size(),
         args.factor, args.work);
}

const Register<WarpDivergence> variant{{
    .idea = "a counting sort in shared memory regroups items by path, one path per warp",
    .bound_by = "multiply-adds, and the sort's shared-memory atomics",
    .improves = "switch_tree",
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
