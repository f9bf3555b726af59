// 16-byte vector of four floats, loaded as one access.
#pragma once

#include "backends/kokkos/queue.hpp"

namespace crosswarp::kokkos {

/// 16 bytes, a GPU's widest load. The alignment lets the compiler emit a single one.
struct alignas(16) Four {
  float x, y, z, w;
};

KOKKOS_INLINE_FUNCTION float sum_of(const Four& v) { return (v.x + v.y) + (v.z + v.w); }

/// The bits as an integer, whose sum is exact in any order.
KOKKOS_INLINE_FUNCTION std::uint32_t bits_of(float v) { return __builtin_bit_cast(std::uint32_t, v); }
KOKKOS_INLINE_FUNCTION std::uint32_t bits_of(const Four& v) {
  return bits_of(v.x) + bits_of(v.y) + (bits_of(v.z) + bits_of(v.w));
}

}  // namespace crosswarp::kokkos
