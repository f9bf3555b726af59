// Four floats as one load, as far as portable code can ask for it.
#pragma once

#include "backends/kokkos/queue.hpp"

namespace crosswarp::kokkos {

/// 16 bytes: what one load of a GPU takes at most. Compilers make one load of it, for the sake of its alignment.
struct alignas(16) Four {
  float x, y, z, w;
};

KOKKOS_INLINE_FUNCTION float sum_of(const Four& v) { return (v.x + v.y) + (v.z + v.w); }

/// What reads of floats are added up as: exactly, in any order.
KOKKOS_INLINE_FUNCTION std::uint32_t bits_of(float v) { return __builtin_bit_cast(std::uint32_t, v); }
KOKKOS_INLINE_FUNCTION std::uint32_t bits_of(const Four& v) {
  return bits_of(v.x) + bits_of(v.y) + (bits_of(v.z) + bits_of(v.w));
}

}  // namespace crosswarp::kokkos
