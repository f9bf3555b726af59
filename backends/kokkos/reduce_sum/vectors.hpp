// What Kokkos's reductions of whole vectors share: loads of 16 bytes, and the elements before and after the vectors of
// an unaligned array.
#pragma once

#include <cstdint>

#include "backends/kokkos/four.hpp"

namespace crosswarp::kokkos {
namespace {

/// An array of any alignment as vectors, and less than one of them at either end.
struct Vectors {
  const Four* at;  ///< The first one.
  std::size_t count;
  const float *head, *tail;
  std::size_t in_head, in_tail;

  explicit Vectors(std::span<const float> in) {
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(in.data()) % sizeof(Four) / sizeof(float);
    head = in.data();
    in_head = std::min(in.size(), misaligned == 0 ? 0 : 4 - misaligned);
    at = reinterpret_cast<const Four*>(in.data() + in_head);
    count = (in.size() - in_head) / 4;
    tail = in.data() + in_head + 4 * count;
    in_tail = in.size() - in_head - 4 * count;
  }

  /// For one thread of all.
  KOKKOS_INLINE_FUNCTION float sum_of_ends() const {
    float sum = 0;
    for (std::size_t i = 0; i < in_head; ++i) sum += head[i];
    for (std::size_t i = 0; i < in_tail; ++i) sum += tail[i];
    return sum;
  }

  /// Of the vectors first, first + stride … below `end`: at most `most` of them, whose loads are all in flight.
  template <int most>
  KOKKOS_INLINE_FUNCTION float sum_of_some(std::size_t first, std::size_t stride, std::size_t end) const {
    float sum = 0;
    if (first + (most - 1) * stride < end) {
      Four loaded[most];
      for (int u = 0; u < most; ++u) loaded[u] = at[first + u * stride];
      for (int u = 0; u < most; ++u) sum += sum_of(loaded[u]);
    } else {
      for (std::size_t i = first; i < end; i += stride) sum += sum_of(at[i]);
    }
    return sum;
  }
};

}  // namespace
}  // namespace crosswarp::kokkos
