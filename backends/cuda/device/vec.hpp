// Arrays of any alignment as 16-byte vectors and what is left at the ends: how the kernels that are bound by memory
// read.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// 16 bytes of elements, as one load.
template <class T>
struct alignas(16) Vec {
  static constexpr unsigned size = 16 / sizeof(T);
  T of[size];
};

/// How an unaligned array splits into packs: less than a pack of elements before them, and after them.
template <class T>
struct VecSplit {
  std::size_t head;   ///< Elements before the first aligned pack.
  std::size_t packs;  ///< Aligned packs.
  std::size_t tail;   ///< The first element after them.

  __device__ VecSplit(const T* in, std::size_t n)
      : head(std::min<std::size_t>(n, (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16 / sizeof(T))),
        packs((n - head) / Vec<T>::size),
        tail(head + Vec<T>::size * packs) {}
};

__device__ inline float sum_of(const float4& v) { return (v.x + v.y) + (v.z + v.w); }

}  // namespace
}  // namespace crosswarp::gpu
