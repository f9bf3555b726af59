// Every block sweeps again and again over the shared memory of the other block of its cluster. Bound by the network
// between multiprocessors.
#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/memory_bandwidth/sweep.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned block = 512, unroll = 4, pair = 2;

/// From another block's shared memory, by its address in the cluster.
struct FromCluster {
  unsigned set;
  __device__ uint4 operator()(std::size_t i, unsigned k) const {
    uint4 v{};
    CROSSWARP_SM90_ASM("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                       : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                       : "r"(set + (static_cast<unsigned>(i) + k) * 16));
    return v;
  }
};

__global__ void __launch_bounds__(block)
    read_dsmem(const uint4* set, unsigned vectors, std::uint64_t sweeps, unsigned* sum) {
  uint4* const own = dynamic_shared<uint4>();
  for (unsigned i = threadIdx.x; i < vectors; i += block) own[i] = set[i];
  const unsigned others = mapa(shared_address(own), cluster_rank() ^ 1);
  cluster_sync();  // both copies are there
  const unsigned total = sweep<block, unroll>(FromCluster{others}, vectors, own_share(sweeps));
  cluster_sync();  // nobody leaves while his copy is read
  leave_sum<block>(total, sum);
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  clear_sums(queue, args);
  const unsigned grid = std::max(pair, resident_grid(queue, args.sweeps, block) / pair * pair);
  launch_clusters(pair, read_dsmem, grid, block, args.a.size_bytes(), queue, vectors_of(args), vector_count(args),
                  args.sweeps, args.sum.data());
}
#endif

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte loads from the other block's shared memory, clusters of two: bound by the network between them",
    .needs = {"cluster", "ptx"},
    .applies = [](const Point& p) { return p.word("level") == "dsmem" && p.integer("bytes") <= 47 * 1024; },
#if CROSSWARP_HAS_PTX
    .launch = run,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
