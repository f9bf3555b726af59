// Vectorized loads: arrays of any alignment as 16-byte vectors, with single elements at both ends.
#pragma once

#include <cstdint>

#include "backends/kokkos/four.hpp"

namespace crosswarp::kokkos {
namespace {

/// An unaligned array as head, aligned vectors and tail; head and tail are shorter than a vector.
struct Vectors {
  const Four* data;
  std::size_t count;
  const float *head, *tail;
  std::size_t head_size, tail_size;

  explicit Vectors(std::span<const float> in) {
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(in.data()) % sizeof(Four) / sizeof(float);
    head = in.data();
    head_size = std::min(in.size(), misaligned == 0 ? 0 : 4 - misaligned);
    data = reinterpret_cast<const Four*>(in.data() + head_size);
    count = (in.size() - head_size) / 4;
    tail = in.data() + head_size + 4 * count;
    tail_size = in.size() - head_size - 4 * count;
  }

  /// The sum of head and tail, for one thread of all.
  KOKKOS_INLINE_FUNCTION float sum_of_ends() const {
    float sum = 0;
    for (std::size_t i = 0; i < head_size; ++i) sum += head[i];
    for (std::size_t i = 0; i < tail_size; ++i) sum += tail[i];
    return sum;
  }

  /// The sum of up to `unroll` vectors first, first + stride … below `end`, their loads all in flight.
  template <int unroll>
  KOKKOS_INLINE_FUNCTION float sum_of_strided(std::size_t first, std::size_t stride, std::size_t end) const {
    float sum = 0;
    if (first + (unroll - 1) * stride < end) {
      Four v[unroll];
      for (int u = 0; u < unroll; ++u) v[u] = data[first + u * stride];
      for (int u = 0; u < unroll; ++u) sum += sum_of(v[u]);
    } else {
      for (std::size_t i = first; i < end; i += stride) sum += sum_of(data[i]);
    }
    return sum;
  }
};

}  // namespace
}  // namespace crosswarp::kokkos
