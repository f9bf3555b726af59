// What kernels of several devices need to work on each other's memory, besides backends/gpu/kernel.hpp. The emulation
// has its own of these names.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "backends/gpu/peer_features.hpp"

#if CROSSWARP_HAS_PTX
namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

// Words by which kernels of several devices signal. An acquire load that sees the value of a release store sees all
// that the storing thread wrote before, or saw through a block's barrier.
__device__ inline unsigned load_acquire_system(const unsigned* from) {
  unsigned value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline unsigned load_relaxed_system(const unsigned* from) {
  unsigned value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline void store_release_system(unsigned* to, unsigned value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ inline void store_relaxed_system(unsigned* to, unsigned value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

__device__ inline std::uint64_t load_acquire_system(const std::uint64_t* from) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline std::uint64_t load_relaxed_system(const std::uint64_t* from) {
  std::uint64_t value;
  asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline void store_release_system(std::uint64_t* to, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
__device__ inline void store_relaxed_system(std::uint64_t* to, std::uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
/// The value before. Orders no other access.
__device__ inline std::uint64_t fetch_or_system(std::uint64_t* at, std::uint64_t bits) {
  std::uint64_t before;
  asm volatile("atom.relaxed.sys.global.or.b64 %0, [%1], %2;" : "=l"(before) : "l"(at), "l"(bits) : "memory");
  return before;
}
/// Waits until all devices see what this thread has stored.
__device__ inline void fence_system() { __threadfence_system(); }

/// Stores and loads 16 bytes in one instruction, as two halves (x, y) and (z, w) that are each seen whole or not at
/// all, in any order. They order no other access.
__device__ inline void store_halves_system(uint4* to, const uint4& value) {
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(to),
               "l"(static_cast<std::uint64_t>(value.y) << 32 | value.x),
               "l"(static_cast<std::uint64_t>(value.w) << 32 | value.z)
               : "memory");
}
__device__ inline uint4 load_halves_system(const uint4* from) {
  std::uint64_t low, high;
  asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
  return make_uint4(static_cast<unsigned>(low), static_cast<unsigned>(low >> 32), static_cast<unsigned>(high),
                    static_cast<unsigned>(high >> 32));
}

/// Memory of the host that the copy engines of all devices reach directly. Allocating it waits for them.
inline void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "pinned memory");
  return memory;
}
/// Null for none.
inline void release_pinned(void* memory) { check(cudaFreeHost(memory), "free pinned memory"); }

/// Loads a kernel on the current device. To be called, by Variant::prepare, for each kernel that a rank launches behind
/// another one that waits for peers: a kernel is loaded at its first launch, which may wait for those before it, and so
/// for ranks whose work is not enqueued yet.
template <class... Parameters>
void preload(void (*kernel)(Parameters...)) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "kernel attributes");
}

/// In a loop that waits for memory to change, as soon as possible: the emulation lets other threads run here.
__device__ inline void spin() {}

/// As launch(), for kernels whose blocks wait for other ranks and must therefore be resident at once: max one for each
/// multiprocessor. Such kernels have no static shared memory (the emulation has one copy of it for all blocks).
template <class... Parameters, class... Arguments>
void launch_resident(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, const Queue& queue,
                     Arguments&&... arguments) {
  if (grid.x > static_cast<unsigned>(queue.device.compute_units)) throw Error("more blocks than multiprocessors");
  launch(kernel, grid, block, shared_bytes, queue, std::forward<Arguments>(arguments)...);
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
#endif
