// Vectorized loads: arrays of any alignment as 16-byte vectors, with single elements at both ends.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// 16 bytes of elements, one load.
template <class T>
struct alignas(16) Vec {
  static constexpr unsigned size = 16 / sizeof(T);
  T of[size];
};

/// An unaligned array as head, aligned vectors and tail; head and tail are shorter than a vector.
template <class T>
struct VecSplit {
  std::size_t head;       ///< Elements before the first vector.
  std::size_t count;      ///< Vectors.
  std::size_t tail;       ///< Index of the first element after them.
  const Vec<T>* vectors;  ///< 16-byte aligned.

  __device__ VecSplit(const T* in, std::size_t n)
      : head(std::min<std::size_t>(n, (16 - reinterpret_cast<std::uintptr_t>(in) % 16) % 16 / sizeof(T))),
        count((n - head) / Vec<T>::size),
        tail(head + Vec<T>::size * count),
        vectors(reinterpret_cast<const Vec<T>*>(in + head)) {}
};

}  // namespace
}  // namespace crosswarp::gpu
