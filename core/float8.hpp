// 8-bit floating-point storage types for host and device: E4M3 and E5M2 of the OCP 8-bit Floating Point Specification
// (OFP8) 1.0. Widened before any computation.
#pragma once

#include <bit>
#include <cstdint>

#include "core/half.hpp"

namespace crosswarp {

/// Sign, 4 bits of exponent (bias 7), 3 of fraction. No infinities; NaN is ±0x7f; max 448, min 2^-9.
struct E4m3 {
  std::uint8_t bits;
  friend constexpr bool operator==(E4m3, E4m3) = default;
};

/// Sign, 5 bits of exponent (bias 15), 2 of fraction: the upper half of a binary16. Max 57344, min 2^-16.
struct E5m2 {
  std::uint8_t bits;
  friend constexpr bool operator==(E5m2, E5m2) = default;
};

/// Exact. The bits are those of a float 2^120 times smaller.
constexpr float to_float(E4m3 value) {
  const std::uint32_t sign = (value.bits & 0x80u) << 24, magnitude = value.bits & 0x7fu;
  if (magnitude == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000u);
  return std::bit_cast<float>(sign | magnitude << 20) * 0x1p120f;
}

/// Exact.
constexpr float to_float(E5m2 value) { return to_float(Half{static_cast<std::uint16_t>(value.bits << 8)}); }

namespace detail {

/// Bits of the magnitude with `fraction_bits` and an exponent of `bias`, rounded to nearest even; `most` from its
/// rounding range on, infinity included. NaN is 0x7f.
template <int fraction_bits, int bias>
constexpr std::uint8_t to_8_bits(float value, std::uint32_t most) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value), magnitude = word & 0x7fffffffu;
  const std::uint32_t sign = word >> 24 & 0x80u;
  constexpr int shift = 23 - fraction_bits;
  constexpr std::uint32_t least_normal = static_cast<std::uint32_t>(128 - bias) << 23;
  std::uint32_t bits = 0x7f;
  if (magnitude <= 0x7f800000u) {
    if (magnitude < least_normal) {  // in steps of the least number: adding 2^23 steps leaves them in the last bits
      constexpr float in_steps =
          std::bit_cast<float>(static_cast<std::uint32_t>(127 + 23 + 1 - bias - fraction_bits) << 23);
      bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + in_steps) -
             std::bit_cast<std::uint32_t>(in_steps);
    } else {
      bits = (magnitude - (static_cast<std::uint32_t>(127 - bias) << 23) + (1u << (shift - 1)) - 1 +
              (magnitude >> shift & 1u)) >>
             shift;
    }
    if (bits > most) bits = most;
  }
  return static_cast<std::uint8_t>(sign | bits);
}

}  // namespace detail

/// Rounds to nearest even and saturates, as PTX's cvt.rn.satfinite: ±448 beyond the range.
constexpr E4m3 to_e4m3(float value) { return {detail::to_8_bits<3, 7>(value, 0x7e)}; }
/// The same; ±57344 beyond the range.
constexpr E5m2 to_e5m2(float value) { return {detail::to_8_bits<2, 15>(value, 0x7b)}; }

}  // namespace crosswarp
