// The element types of half-precision products.
#pragma once

#include "backends/kokkos/half.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::kokkos {

/// An element by its bits.
template <class T>
KOKKOS_INLINE_FUNCTION T element_of(std::uint16_t bits) {
  if constexpr (std::is_trivially_copyable_v<T>)
    return __builtin_bit_cast(T, bits);
  else  // the half_t of some older Kokkos
    return *reinterpret_cast<const T*>(&bits);
}
template <class T>
KOKKOS_INLINE_FUNCTION std::uint16_t bits_of_element(T element) {
  if constexpr (std::is_trivially_copyable_v<T>)
    return __builtin_bit_cast(std::uint16_t, element);
  else
    return *reinterpret_cast<const std::uint16_t*>(&element);
}

/// Calls `use` with the element types of the inputs and of C: `[&]<class T, class To>()`.
template <class Use>
void with_types(const MatmulF16::Args& args, Use&& use) {
  if (args.bf16)
    args.f32_out ? use.template operator()<Brain16, float>() : use.template operator()<Brain16, Brain16>();
  else
    args.f32_out ? use.template operator()<Binary16, float>() : use.template operator()<Binary16, Binary16>();
}

}  // namespace crosswarp::kokkos
