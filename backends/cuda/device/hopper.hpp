// What Hopper has beyond older GPUs, as functions: barriers in shared memory that count bytes, clusters of blocks, bulk
// copies. For files that need "ptx". The device code is there from sm_90 on; elsewhere these functions are empty.
#pragma once

#include "backends/gpu/kernel.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

__device__ inline unsigned shared_address(const void* in_shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

/// An assembly statement that is left out where the GPU has no such instruction.
#if CROSSWARP_TARGET_FROM_SM90
#define CROSSWARP_HOPPER(...) asm volatile(__VA_ARGS__)
#else
#define CROSSWARP_HOPPER(...)
#endif

/// A barrier in shared memory: a phase ends when as many have arrived as were announced, and all expected bytes too.
struct Mbarrier {
  std::uint64_t state;

  /// By one thread, which calls publish_barriers() behind its last one.
  __device__ void initialise([[maybe_unused]] unsigned arrivals) {
    CROSSWARP_HOPPER("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals) : "memory");
  }
  __device__ void arrive() {
    CROSSWARP_HOPPER("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  __device__ void arrive_and_expect([[maybe_unused]] unsigned bytes) {
    CROSSWARP_HOPPER("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                     : "memory");
  }
  /// At the barrier of this address in the cluster: address_in_block(). Orders nothing beyond the calling block: a
  /// release to the cluster would wait for all that the thread has under way in memory, most of a microsecond. For what
  /// the matrix units or bulk copies have read there is nothing to release.
  __device__ static void arrive_there([[maybe_unused]] unsigned address) {
    CROSSWARP_HOPPER("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
  }
  /// Until the phase of this parity has ended. What bulk copies brought, from whatever block they were started, is seen
  /// then; what threads of other blocks stored is not.
  __device__ void wait([[maybe_unused]] unsigned parity) {
#if CROSSWARP_TARGET_FROM_SM90
    while (!has_ended<false>(parity)) {
    }
#endif
  }
  /// The same, and what threads of the cluster's other blocks stored is seen, too.
  __device__ void wait_for_cluster([[maybe_unused]] unsigned parity) {
#if CROSSWARP_TARGET_FROM_SM90
    while (!has_ended<true>(parity)) {
    }
#endif
  }

 private:
#if CROSSWARP_TARGET_FROM_SM90
  template <bool of_cluster>
  __device__ bool has_ended(unsigned parity) {
    unsigned ended;
    if constexpr (of_cluster)
      asm volatile(
          "{\n.reg .pred ended;\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 ended, [%1], %2;\n"
          "selp.u32 %0, 1, 0, ended;\n}"
          : "=r"(ended)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    else
      asm volatile(
          "{\n.reg .pred ended;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
          "selp.u32 %0, 1, 0, ended;\n}"
          : "=r"(ended)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    return ended != 0;
  }
#endif
};

/// Barriers that the calling thread initialised are seen by its bulk copies, and by the cluster's other blocks behind a
/// barrier of the cluster.
__device__ inline void publish_barriers() {
  CROSSWARP_HOPPER("fence.mbarrier_init.release.cluster;" ::: "memory");
  CROSSWARP_HOPPER("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Of the calling block in its cluster.
__device__ inline unsigned cluster_rank() {
  unsigned rank = 0;
  CROSSWARP_HOPPER("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline unsigned cluster_size() {
  unsigned size = 1;
  CROSSWARP_HOPPER("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

/// The two halves of a barrier of all threads of a cluster: what is between them does not wait. Of what was written
/// before it only barriers are seen behind it, which is enough where all else comes by copies that tell barriers: to
/// release the rest is a fence of the whole device.
__device__ inline void cluster_arrive() { CROSSWARP_HOPPER("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
__device__ inline void cluster_wait() { CROSSWARP_HOPPER("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

/// A barrier of all threads of a cluster: what was written before it is seen by all behind it.
__device__ inline void sync_cluster() {
  CROSSWARP_HOPPER("barrier.cluster.arrive.release.aligned;" ::: "memory");
  cluster_wait();
}

/// Where the block of `rank` has what is at the shared address `at` here, as an address in the cluster.
__device__ inline unsigned address_in_block([[maybe_unused]] unsigned at, [[maybe_unused]] unsigned rank) {
  unsigned there = 0;
  CROSSWARP_HOPPER("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at), "r"(rank));
  return there;
}

/// Stores `value` where the block of `rank` has what `at` is here, and tells that block's `barrier` of its bytes. That
/// block must be there until they have come; the calling one may leave.
template <class A>
__device__ void store_to_block([[maybe_unused]] A* at, [[maybe_unused]] A value,
                               [[maybe_unused]] Mbarrier* barrier, [[maybe_unused]] unsigned rank) {
  [[maybe_unused]] const unsigned there = address_in_block(shared_address(at), rank);
  [[maybe_unused]] const unsigned barrier_there = address_in_block(shared_address(barrier), rank);
  if constexpr (sizeof(A) == 4)
    CROSSWARP_HOPPER("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(there),
                     "r"(__builtin_bit_cast(std::uint32_t, value)), "r"(barrier_there)
                     : "memory");
  else
    CROSSWARP_HOPPER("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(there),
                     "l"(__builtin_bit_cast(std::uint64_t, value)), "r"(barrier_there)
                     : "memory");
}

/// Starts a copy of `bytes` from global to shared memory, of which `barrier` is told. Both addresses are aligned to 16
/// bytes, and `bytes` is a multiple of it. By one thread.
__device__ inline void bulk_load([[maybe_unused]] void* to_shared, [[maybe_unused]] const void* from,
                                 [[maybe_unused]] unsigned bytes, [[maybe_unused]] Mbarrier* barrier) {
  CROSSWARP_HOPPER("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       shared_address(to_shared)),
                   "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
                   : "memory");
}

/// Starts a copy of `bytes` from shared to global memory. Addresses and bytes as for bulk_load(). By one thread; what
/// other threads wrote to shared memory must be published, and a barrier lie between.
__device__ inline void bulk_store([[maybe_unused]] void* to, [[maybe_unused]] const void* from_shared,
                                  [[maybe_unused]] unsigned bytes) {
  CROSSWARP_HOPPER("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(
                       __cvta_generic_to_global(to)),
                   "r"(shared_address(from_shared)), "r"(bytes)
                   : "memory");
}
/// Until all but the last `pending` bulk stores of the calling thread have read their shared memory.
template <unsigned pending>
__device__ void bulk_wait_read() {
  CROSSWARP_HOPPER("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
/// What the calling thread wrote to shared memory is seen by bulk copies that start after it.
__device__ inline void publish_to_bulk_copies() { CROSSWARP_HOPPER("fence.proxy.async.shared::cta;" ::: "memory"); }

inline cudaLaunchAttribute in_clusters_of(unsigned size) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  return attribute;
}

/// Like launch(), in clusters of `size` blocks, of which the grid is a multiple. Every GPU with clusters has those of
/// 8; larger ones it may refuse.
template <class... Parameters, class... Arguments>
void launch_clusters(unsigned size, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                     const Queue& queue, Arguments&&... arguments) {
  if (size > 8)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "large clusters");
  launch_with(in_clusters_of(size), kernel, grid, block, shared_bytes, queue, std::forward<Arguments>(arguments)...);
}

/// Like launch(), beginning while the launch before ends.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                      const Queue& queue, Arguments&&... arguments) {
  Queue dependent = queue;
  dependent.pdl = true;
  launch(kernel, grid, block, shared_bytes, dependent, std::forward<Arguments>(arguments)...);
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
