// cp.async.bulk: copies of one dimension by the TMA unit (Hopper). For files that need "ptx"; before sm_90 these
// functions are empty.
#pragma once

#include "backends/cuda/device/mbarrier.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Starts a copy of `bytes` from global to shared memory that completes on `barrier`. By one thread. Addresses and
/// `bytes` are multiples of 16.
__device__ inline void bulk_load([[maybe_unused]] void* to_shared, [[maybe_unused]] const void* from,
                                 [[maybe_unused]] unsigned bytes, [[maybe_unused]] Mbarrier* barrier) {
  CROSSWARP_SM90_ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address(to_shared)),
                     "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
                     : "memory");
}

/// Starts a copy of `bytes` from shared to global memory, a bulk group of its own. By one thread, after
/// fence_proxy_async() by the threads that wrote there and a barrier. Addresses and `bytes` are multiples of 16.
__device__ inline void bulk_store([[maybe_unused]] void* to, [[maybe_unused]] const void* from_shared,
                                  [[maybe_unused]] unsigned bytes) {
  CROSSWARP_SM90_ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(
                         __cvta_generic_to_global(to)),
                     "r"(shared_address(from_shared)), "r"(bytes)
                     : "memory");
}
/// Waits until all but the last `pending` bulk groups of the calling thread have read their shared memory.
template <unsigned pending>
__device__ void bulk_wait_group_read() {
  CROSSWARP_SM90_ASM("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}
/// Makes the calling thread's writes to shared memory visible to bulk copies and wgmma, which read by the async proxy.
__device__ inline void fence_proxy_async() { CROSSWARP_SM90_ASM("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace
}  // namespace crosswarp::gpu

#endif
