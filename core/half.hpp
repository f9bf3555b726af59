// 16-bit floating-point storage types for host and device. Widened before any computation.
#pragma once

#include <bit>
#include <cstdint>

namespace crosswarp {

/// IEEE binary16.
struct Half {
  std::uint16_t bits;
  friend constexpr bool operator==(Half, Half) = default;
};

/// Exact.
constexpr float to_float(Half half) {
  const std::uint32_t sign = (half.bits & 0x8000u) << 16, exponent = half.bits >> 10 & 0x1fu;
  std::uint32_t fraction = half.bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // zero and subnormal numbers
  return sign != 0 ? -magnitude : magnitude;
}

/// Rounds to nearest even; infinity from 65520 on.
constexpr Half to_half(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value), sign = word >> 16 & 0x8000u;
  const std::uint32_t magnitude = word & 0x7fffffffu;
  const auto half = [sign](std::uint32_t bits) { return Half{static_cast<std::uint16_t>(sign | bits)}; };
  if (magnitude > 0x7f800000u) return half(0x7e00);
  if (magnitude >= 0x477ff000u) return half(0x7c00);
  if (magnitude < 0x38800000u) {  // in steps of 2^-24: adding 0.5 leaves them in the last bits, rounded
    const float steps = std::bit_cast<float>(magnitude) + 0.5f;
    return half(std::bit_cast<std::uint32_t>(steps) - std::bit_cast<std::uint32_t>(0.5f));
  }
  return half((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
}

/// bfloat16: the upper half of a float.
struct Bfloat16 {
  std::uint16_t bits;
  friend constexpr bool operator==(Bfloat16, Bfloat16) = default;
};

/// Exact.
constexpr float to_float(Bfloat16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

/// Rounds to nearest even.
constexpr Bfloat16 to_bfloat16(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
  if ((word & 0x7fffffffu) > 0x7f800000u) return {static_cast<std::uint16_t>(word >> 16 | 0x40u)};
  return {static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16)};
}

}  // namespace crosswarp
