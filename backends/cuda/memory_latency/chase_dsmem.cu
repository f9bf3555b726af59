// Pointer chase in distributed shared memory: the chain lies in another block of the cluster. Bound by the latency of
// the network between multiprocessors.
#include "backends/cuda/device/cluster.hpp"
#include "backends/cuda/memory_latency/chase.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// For clusters of two. The first block writes the chain into the second one's memory as shared::cluster addresses, so
/// that the load needs no arithmetic.
__global__ void __launch_bounds__(chase_block)
    chase_in_peer(const std::byte* chain, std::size_t bytes, std::size_t stride, std::uint64_t first,
                  std::uint32_t steps, MemoryLatency::Chased* out) {
  cluster_sync();  // the other block has started
  if (blockIdx.x == 0) {
    const std::uint32_t base = mapa(shared_address(dynamic_shared<std::byte>()), 1);
    for (std::size_t at = threadIdx.x * stride; at < bytes; at += chase_block * stride) {
      [[maybe_unused]] const auto next =
          base + static_cast<std::uint32_t>(*reinterpret_cast<const std::uint64_t*>(chain + at));
      CROSSWARP_SM90_ASM("st.shared::cluster.u32 [%0], %1;" ::"r"(base + static_cast<std::uint32_t>(at)), "r"(next)
                         : "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0)
      *out = timed_chase(base + static_cast<std::uint32_t>(first), base, steps, [](std::uint32_t at) {
        std::uint32_t next = at;
        CROSSWARP_SM90_ASM("ld.shared::cluster.u32 %0, [%1];" : "=r"(next) : "r"(at) : "memory");
        return next;
      });
    __syncthreads();
  }
  cluster_sync();  // the second block stays while its memory is read
}

void run(const Queue& queue, const MemoryLatency::Args& args) {
  const std::size_t bytes = bytes_of_slots(args);
  launch_clusters(2, chase_in_peer, 2, chase_block, bytes, queue, args.chain.data(), bytes, args.stride, args.first,
                  args.steps, args.out.data());
}
#endif

const Register<MemoryLatency> variant{{
    .idea = "the chain in another block's shared memory, chased by one thread",
    .bound_by = "latency of the network between multiprocessors",
    .needs = {"cluster"},
    .applies = [](const Point& point) { return is_space(point, "dsmem"); },
#if CROSSWARP_HAS_PTX
    .launch = run,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
