// Four floats as one load, as far as portable code can ask for it.
#pragma once

#include "backends/kokkos/queue.hpp"

namespace crosswarp::kokkos {

/// 16 bytes: what one load of a GPU takes at most. Compilers make one load of it, for the sake of its alignment.
struct alignas(16) Four {
  float x, y, z, w;
};

KOKKOS_INLINE_FUNCTION float sum_of(const Four& v) { return (v.x + v.y) + (v.z + v.w); }

}  // namespace crosswarp::kokkos
