// Repeated reads of distributed shared memory: the copy of the other block of a cluster of two. Bound by the network
// between multiprocessors.
#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 512, unroll = 4, pair = 2;

/// Loads from another block's shared memory, by its shared::cluster address.
struct FromCluster {
  unsigned array;
  __device__ uint4 operator()(std::size_t i, unsigned k) const {
    uint4 v{};
    CROSSWARP_SM90_ASM("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                       : "r"(array + (static_cast<unsigned>(i) + k) * 16));
    return v;
  }
};

__global__ void __launch_bounds__(block)
    read_dsmem(const uint4* array, unsigned vectors, std::uint64_t sweeps, unsigned* sum) {
  uint4* const own = dynamic_shared<uint4>();
  for (unsigned i = threadIdx.x; i < vectors; i += block) own[i] = array[i];
  const unsigned peer = mapa(shared_address(own), cluster_rank() ^ 1);
  cluster_sync();  // both copies are complete
  const unsigned total = sweep<block, unroll>(FromCluster{peer}, vectors, sweeps_of_block(sweeps));
  cluster_sync();  // a block stays while its copy is read
  add_block_sum<block>(total, sum);
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  const unsigned grid = std::max(pair, resident_grid(queue, args.sweeps, block) / pair * pair);
  launch_clusters(pair, read_dsmem, grid, block, args.a.size_bytes(), queue, vectors_of(args), vector_count(args),
                  args.sweeps, args.sum.data());
}
#endif

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte loads from the other block's shared memory, in clusters of two",
    .bound_by = "network between multiprocessors",
    .needs = {"cluster", "ptx"},
    .applies = [](const Point& p) { return p.word("level") == "dsmem" && p.integer("bytes") <= 47 * 1024; },
#if CROSSWARP_HAS_PTX
    .launch = run,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
