// Vectorized loads: arrays of any type and alignment as 16-byte vectors, with single elements at both ends.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/kokkos/reduce_sum/types.hpp"

namespace crosswarp::kokkos {
namespace {

/// 16 bytes, a GPU's widest load. The alignment lets the compiler emit a single one.
template <class T>
struct alignas(16) Vec {
  static constexpr int size = 16 / sizeof(T);
  T of[size];
};

/// Reduces the elements of a vector by a tree.
template <class Op, class T>
KOKKOS_INLINE_FUNCTION Accumulator<T> vec_reduce(const Vec<T>& vec, Op op) {
  Accumulator<T> values[Vec<T>::size];
  for (int i = 0; i < Vec<T>::size; ++i) values[i] = widen(vec.of[i]);
  if constexpr (Vec<T>::size == 8)
    for (int i = 0; i < 4; ++i) values[i] = op(values[i], values[i + 4]);
  if constexpr (Vec<T>::size >= 4)
    for (int i = 0; i < 2; ++i) values[i] = op(values[i], values[i + 2]);
  return op(values[0], values[1]);
}

/// An unaligned array as head, aligned vectors and tail; head and tail are shorter than a vector.
template <class T>
struct Vectors {
  using A = Accumulator<T>;

  const Vec<T>* data;
  std::size_t count;
  const T *head, *tail;
  std::size_t head_size, tail_size;

  explicit Vectors(std::span<const T> in) {
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(in.data()) % sizeof(Vec<T>) / sizeof(T);
    head = in.data();
    head_size = std::min(in.size(), misaligned == 0 ? 0 : Vec<T>::size - misaligned);
    data = reinterpret_cast<const Vec<T>*>(in.data() + head_size);
    count = (in.size() - head_size) / Vec<T>::size;
    tail = in.data() + head_size + Vec<T>::size * count;
    tail_size = in.size() - head_size - Vec<T>::size * count;
  }

  /// Head and tail reduced, for one thread of all.
  template <class Op>
  KOKKOS_INLINE_FUNCTION A reduce_ends(Op op) const {
    A value = Op::template identity<A>;
    for (std::size_t i = 0; i < head_size; ++i) value = op(value, A{widen(head[i])});
    for (std::size_t i = 0; i < tail_size; ++i) value = op(value, A{widen(tail[i])});
    return value;
  }

  /// Element i of head and tail together, if there is one: for as many threads as there may be, one each. Their loads
  /// are then in flight together with those of vectors.
  template <class Op>
  KOKKOS_INLINE_FUNCTION A end_or_identity(std::size_t i, Op) const {
    if (i < head_size) return widen(head[i]);
    return i - head_size < tail_size ? A{widen(tail[i - head_size])} : Op::template identity<A>;
  }

  /// Up to `unroll` vectors first, first + stride … below `end` reduced, each load with its own test and all in flight.
  template <int unroll, class Op>
  KOKKOS_INLINE_FUNCTION A reduce_partial(std::size_t first, std::size_t stride, std::size_t end, Op op) const {
    A value = Op::template identity<A>;
    Vec<T> v[unroll];
    for (int u = 0; u < unroll; ++u)
      if (first + u * stride < end) v[u] = data[first + u * stride];
    for (int u = 0; u < unroll; ++u)
      if (first + u * stride < end) value = op(value, vec_reduce(v[u], op));
    return value;
  }

  /// Up to `unroll` vectors first, first + stride … below `end` reduced, their loads all in flight if
  /// there are `unroll` of them.
  template <int unroll, class Op>
  KOKKOS_INLINE_FUNCTION A reduce_strided(std::size_t first, std::size_t stride, std::size_t end, Op op) const {
    A value = Op::template identity<A>;
    if (first + (unroll - 1) * stride < end) {
      Vec<T> v[unroll];
      for (int u = 0; u < unroll; ++u) v[u] = data[first + u * stride];
      for (int u = 0; u < unroll; ++u) value = op(value, vec_reduce(v[u], op));
    } else {
      for (std::size_t i = first; i < end; i += stride) value = op(value, vec_reduce(data[i], op));
    }
    return value;
  }
};

template <class T>
Vectors(std::span<const T>) -> Vectors<T>;

}  // namespace
}  // namespace crosswarp::kokkos
