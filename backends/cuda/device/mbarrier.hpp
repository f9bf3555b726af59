// mbarrier: barriers in shared memory that count arrivals and the bytes of asynchronous copies (Hopper). For files that
// need "ptx"; before sm_90 these functions are empty.
#pragma once

#include "backends/cuda/device/ptx.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// A phase completes once all arrivals and all expected bytes are in. Phases are told apart by parity: 0, 1, 0, …
struct Mbarrier {
  std::uint64_t state;

  /// By one thread, which calls fence_mbarrier_init() after its last one.
  __device__ void init([[maybe_unused]] unsigned arrivals) {
    CROSSWARP_SM90_ASM("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals) : "memory");
  }
  __device__ void arrive() {
    CROSSWARP_SM90_ASM("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  /// Arrives, and adds `bytes` to the bytes that the phase expects.
  __device__ void arrive_expect_tx([[maybe_unused]] unsigned bytes) {
    CROSSWARP_SM90_ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                       : "memory");
  }
  /// Arrives at another block's barrier: an address from mapa(). Orders nothing beyond the calling block, since a
  /// release to the cluster waits for all of the thread's outstanding accesses, most of a microsecond. Enough after
  /// reads by matrix units or bulk copies.
  __device__ static void arrive_remote([[maybe_unused]] unsigned address) {
    CROSSWARP_SM90_ASM("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(address) : "memory");
  }
  /// Waits for the phase of this parity. Makes bulk copies visible, whichever block started them; stores of other
  /// blocks' threads are not.
  __device__ void wait([[maybe_unused]] unsigned parity) {
#if CROSSWARP_TARGET_FROM_SM90
    while (!try_wait<false>(parity)) {
    }
#endif
  }
  /// The same, and makes stores of the cluster's other blocks visible.
  __device__ void wait_acquire_cluster([[maybe_unused]] unsigned parity) {
#if CROSSWARP_TARGET_FROM_SM90
    while (!try_wait<true>(parity)) {
    }
#endif
  }

 private:
#if CROSSWARP_TARGET_FROM_SM90
  template <bool acquire_cluster>
  __device__ bool try_wait(unsigned parity) {
    unsigned complete;
    if constexpr (acquire_cluster)
      asm volatile(
          "{\n.reg .pred complete;\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [%1], %2;\n"
          "selp.u32 %0, 1, 0, complete;\n}"
          : "=r"(complete)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    else
      asm volatile(
          "{\n.reg .pred complete;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
          "selp.u32 %0, 1, 0, complete;\n}"
          : "=r"(complete)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    return complete != 0;
  }
#endif
};

/// Makes the calling thread's Mbarrier::init() visible to its bulk copies, and to the cluster's other blocks after a
/// barrier of the cluster.
__device__ inline void fence_mbarrier_init() {
  CROSSWARP_SM90_ASM("fence.mbarrier_init.release.cluster;" ::: "memory");
  CROSSWARP_SM90_ASM("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
