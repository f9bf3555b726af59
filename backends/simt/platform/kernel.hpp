// Launches, warp functions and atomics of the emulation.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <source_location>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "backends/simt/device.hpp"
#include "core/half.hpp"
#include "core/variant.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

struct Queue : LaunchContext {
  static constexpr std::string_view backend = CROSSWARP_PLATFORM_NAME;

  Queue(Device& on, LaunchContext context)
      : LaunchContext(context), emulated(&static_cast<simt::EmulatedDevice&>(on)) {}

  simt::EmulatedDevice* emulated;
};

constexpr unsigned warp_size() { return CROSSWARP_WARP_SIZE; }

/// Enqueues `kernel` for every thread of the grid; `resident`: all blocks at once.
template <class... Parameters, class... Arguments>
void enqueue(bool resident, void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
             const Queue& queue, Arguments&&... arguments) {
  const std::tuple<Parameters...> parameters(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  queue.emulated->enqueue(grid, block, shared_bytes, resident, [=] { std::apply(kernel, parameters); });
  if (queue.log->on)
    queue.log->kernels.push_back({.shared_bytes = shared_bytes,
                                  .blocks = static_cast<std::size_t>(grid.count()),
                                  .threads = static_cast<std::size_t>(block.count())});
}

/// Throws as Stream::enqueue(); what goes wrong in the kernel is thrown to whoever waits for it.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, const Queue& queue,
            Arguments&&... arguments) {
  enqueue(false, kernel, grid, block, shared_bytes, queue, std::forward<Arguments>(arguments)...);
}

/// For kernels whose blocks wait for other ranks: without static shared memory.
template <class... Parameters, class... Arguments>
void launch_resident(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, const Queue& queue,
                     Arguments&&... arguments) {
  enqueue(true, kernel, grid, block, shared_bytes, queue, std::forward<Arguments>(arguments)...);
}

template <class T>
void clear(const Queue& queue, std::span<T> memory) {
  queue.emulated->fill(memory.data(), 0, memory.size_bytes());
}

template <class T>
void copy(const Queue& queue, std::span<T> to, std::span<const std::type_identity_t<T>> from) {
  queue.emulated->copy(to.data(), from.data(), to.size_bytes());
}

template <class T>
void fill(const Queue& queue, std::span<T> memory, unsigned char byte) {
  queue.emulated->fill(memory.data(), byte, memory.size_bytes());
}

template <class T, std::size_t count>
void fill_constant(const Queue& queue, T (&constant)[count], std::span<const std::byte> from) {
  queue.emulated->copy(constant, from.data(), from.size());
}

inline void wait(const Queue& queue) { queue.emulated->synchronize(); }

// Of backends/gpu/peers.hpp.
inline void* allocate_pinned(std::size_t bytes) { return std::aligned_alloc(16, (bytes + 15) / 16 * 16); }
inline void release_pinned(void* memory) { std::free(memory); }

template <class... Parameters>
void preload(void (*)(Parameters...)) {}

inline bool is_captured(const Queue&) { return false; }

using simt::LaneMask;

constexpr LaneMask all_lanes() { return ~LaneMask{0} >> (64 - warp_size()); }

using Here = std::source_location;

template <class T>
T exchange(T value, unsigned source, LaneMask lanes, Here where) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  simt::exchange(std::as_writable_bytes(std::span(&value, 1)), source, lanes, where);
  return value;
}

template <class T>
T shuffle(T value, unsigned source, LaneMask lanes = all_lanes(), Here where = Here::current()) {
  return exchange(value, source % warp_size(), lanes, where);
}

template <class T>
T shuffle_down(T value, unsigned delta, LaneMask lanes = all_lanes(), Here where = Here::current()) {
  const unsigned own = simt::lane(), source = own + delta;
  return exchange(value, source < warp_size() ? source : own, lanes, where);
}

template <class T>
T shuffle_up(T value, unsigned delta, LaneMask lanes = all_lanes(), Here where = Here::current()) {
  const unsigned own = simt::lane();
  return exchange(value, own >= delta ? own - delta : own, lanes, where);
}

template <class T>
T shuffle_xor(T value, unsigned bits, LaneMask lanes = all_lanes(), Here where = Here::current()) {
  return exchange(value, (simt::lane() ^ bits) % warp_size(), lanes, where);
}

inline LaneMask ballot(bool predicate, LaneMask lanes = all_lanes(), Here where = Here::current()) {
  return simt::vote(predicate, lanes, where);
}
inline bool any(bool predicate, LaneMask lanes = all_lanes(), Here where = Here::current()) {
  return simt::vote(predicate, lanes, where) != 0;
}
inline bool all(bool predicate, LaneMask lanes = all_lanes(), Here where = Here::current()) {
  return simt::vote(!predicate, lanes, where) == 0;
}

inline void sync_warp(LaneMask lanes = all_lanes(), Here where = Here::current()) { simt::vote(true, lanes, where); }

inline void __syncthreads(Here where = Here::current()) { simt::sync_block(where); }

template <class T>
T load_coherent(const T* from) {
  return *from;
}

inline float4 load_once(const float4* from) { return *from; }
inline void store_once(float4* to, const float4& value) { *to = value; }

inline float half_value(Half half) { return to_float(half); }

template <class T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(simt::shared_memory().data());
}

inline void grid_dependency_sync() {}

// One thread runs at a time and switches only where it waits, so memory is sequentially consistent.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void nap(Here where = Here::current()) { simt::nap(where); }

inline void spin(Here where = Here::current()) { simt::nap(where); }

// Words by which kernels of several devices signal, as in nvidia_lanes.hpp.

template <class Word>
Word load_acquire_system(const Word* from) {
  return std::atomic_ref(*const_cast<Word*>(from)).load(std::memory_order_acquire);
}
template <class Word>
Word load_relaxed_system(const Word* from) {
  return std::atomic_ref(*const_cast<Word*>(from)).load(std::memory_order_relaxed);
}
template <class Word>
void store_release_system(Word* to, std::type_identity_t<Word> value) {
  std::atomic_ref(*to).store(value, std::memory_order_release);
  simt::note_store();
}
template <class Word>
void store_relaxed_system(Word* to, std::type_identity_t<Word> value) {
  std::atomic_ref(*to).store(value, std::memory_order_relaxed);
  simt::note_store();
}
/// Not by fetch_or(): GCC 12 makes an endless loop of it where its result is the next address, as in a chase.
inline std::uint64_t fetch_or_system(std::uint64_t* at, std::uint64_t bits) {
  const std::atomic_ref word(*at);
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(seen, seen | bits, std::memory_order_relaxed)) {
  }
  return seen;
}
inline void fence_system() {}

/// Each half is written by itself, in any order, and others run between the two.
inline void store_halves_system(uint4* to, const uint4& value, Here where = Here::current()) {
  auto* const halves = reinterpret_cast<std::uint64_t*>(to);
  std::uint64_t from[2];
  std::memcpy(from, &value, sizeof from);
  const int first = simt::coin() ? 0 : 1;
  std::atomic_ref(halves[first]).store(from[first], std::memory_order_relaxed);
  simt::note_store();
  simt::nap(where);
  std::atomic_ref(halves[1 - first]).store(from[1 - first], std::memory_order_relaxed);
  simt::note_store();
}
inline uint4 load_halves_system(const uint4* from) {
  auto* const halves = reinterpret_cast<std::uint64_t*>(const_cast<uint4*>(from));
  const std::uint64_t loaded[2]{std::atomic_ref(halves[0]).load(std::memory_order_relaxed),
                                std::atomic_ref(halves[1]).load(std::memory_order_relaxed)};
  uint4 value;
  std::memcpy(&value, loaded, sizeof value);
  return value;
}

inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

inline std::uint64_t cycles() { return static_cast<std::uint64_t>(clock64()); }
inline std::uint64_t nanoseconds() { return cycles(); }

template <class T>
void keep(T) {}

inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }

template <class T>
T opaque(T value) {
  return value;
}

template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return std::atomic_ref(*at).fetch_add(value);
}

/// Wraps to 0 after `last`.
inline unsigned atomicInc(unsigned* at, unsigned last) {
  const unsigned old = *at;
  std::atomic_ref(*at).store(old >= last ? 0 : old + 1);
  return old;
}

template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  return std::atomic_ref(*at).exchange(value);
}

template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  std::atomic_ref(*at).store(std::min(old, value));
  return old;
}

template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  std::atomic_ref(*at).store(std::max(old, value));
  return old;
}

template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  std::atomic_ref(*at).compare_exchange_strong(expected, desired);
  return expected;
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
