// Thread block clusters (Hopper): rank and size, barrier, distributed shared memory, launch. For files that need "ptx";
// before sm_90 these functions are empty.
#pragma once

#include "backends/cuda/device/mbarrier.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// The calling block's rank in its cluster.
__device__ inline unsigned cluster_rank() {
  unsigned rank = 0;
  CROSSWARP_SM90_ASM("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// Blocks of the cluster.
__device__ inline unsigned cluster_size() {
  unsigned size = 1;
  CROSSWARP_SM90_ASM("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

/// The two halves of a barrier of all the cluster's threads. Relaxed: only mbarrier initialisations are visible after
/// it, enough where all else comes by copies that complete on an mbarrier. A release costs a fence of the whole device.
__device__ inline void cluster_arrive_relaxed() {
  CROSSWARP_SM90_ASM("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() { CROSSWARP_SM90_ASM("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

/// A barrier of all the cluster's threads, with release and acquire.
__device__ inline void cluster_sync() {
  CROSSWARP_SM90_ASM("barrier.cluster.arrive.release.aligned;" ::: "memory");
  cluster_wait();
}

/// The cluster address of the block of `rank`'s variable at the shared address `address`.
__device__ inline unsigned mapa([[maybe_unused]] unsigned address, [[maybe_unused]] unsigned rank) {
  unsigned remote = 0;
  CROSSWARP_SM90_ASM("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

/// Stores `value` to the block of `rank`'s copy of `*to`, and completes its bytes on that block's `barrier`. That block
/// must be resident until then; the calling one may exit.
template <class T>
__device__ void st_async([[maybe_unused]] T* to, [[maybe_unused]] T value, [[maybe_unused]] Mbarrier* barrier,
                         [[maybe_unused]] unsigned rank) {
  [[maybe_unused]] const unsigned remote = mapa(shared_address(to), rank);
  [[maybe_unused]] const unsigned remote_barrier = mapa(shared_address(barrier), rank);
  if constexpr (sizeof(T) == 4)
    CROSSWARP_SM90_ASM("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(remote),
                       "r"(__builtin_bit_cast(std::uint32_t, value)), "r"(remote_barrier)
                       : "memory");
  else
    CROSSWARP_SM90_ASM("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(remote),
                       "l"(__builtin_bit_cast(std::uint64_t, value)), "r"(remote_barrier)
                       : "memory");
}

inline cudaLaunchAttribute cluster_dimension(unsigned size) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  return attribute;
}

/// Like launch(), in clusters of `size` blocks, a divisor of the grid. Every GPU with clusters supports 8; larger ones
/// may be refused.
template <class... Parameters, class... Arguments>
void launch_clusters(unsigned size, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                     const Queue& queue, Arguments&&... arguments) {
  if (size > 8)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "large clusters");
  launch_with(cluster_dimension(size), kernel, grid, block, shared_bytes, queue, std::forward<Arguments>(arguments)...);
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
