// 16-bit floats: Kokkos's half_t and bhalf_t where they are stored in 16 bits (with CUDA), else core's Half and
// Bfloat16. With Kokkos 3 on hosts half_t is an alias of float.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/kokkos/queue.hpp"
#include "core/half.hpp"

namespace crosswarp::kokkos {

/// Kokkos's type if it is stored in 16 bits, else ours.
template <class Theirs, class Ours>
using SixteenBits = std::conditional_t<sizeof(Theirs) == sizeof(Ours), Theirs, Ours>;

using Binary16 = SixteenBits<Kokkos::Experimental::half_t, Half>;
#if KOKKOS_VERSION >= 30600
using Brain16 = SixteenBits<Kokkos::Experimental::bhalf_t, Bfloat16>;
#else
using Brain16 = Bfloat16;
#endif

template <class T>
KOKKOS_INLINE_FUNCTION float widened(T element) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>)
    return to_float(element);
  else
    return static_cast<float>(element);
}

template <class T>
KOKKOS_INLINE_FUNCTION T narrowed(float value) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(value);
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return to_bfloat16(value);
  else
    return static_cast<T>(value);
}

}  // namespace crosswarp::kokkos
