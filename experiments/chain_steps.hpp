// Steps of dependent chains as the host computes them, to the bit: the oracle of experiments on arithmetic. A chain
// must neither grow, nor settle, nor forget how many steps it took; here is what is taken so that none does.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "core/format.hpp"

namespace crosswarp {

/// How x ← a·x + b is rounded in float: once (a fused multiply-add), after each of the two operations, or in double
/// first and then to float. All three are right; which one a kernel takes is its own affair.
enum class Rounding { fused, separate, through_double };

inline float multiply_add(float x, float a, float b, Rounding rounding) {
  if (rounding == Rounding::fused) return std::fmaf(x, a, b);
  if (rounding == Rounding::through_double) return static_cast<float>(std::fma(double{x}, double{a}, double{b}));
  const volatile float product = x * a;  // volatile: not to be contracted
  return product + b;
}
inline double multiply_add(double x, double a, double b, Rounding rounding) {
  if (rounding != Rounding::separate) return std::fma(x, a, b);
  const volatile double product = x * a;
  return product + b;
}

/// The largest factor below 1 whose power `steps` is at least 1/e or so, negated: values swing about b/(2-ε), and every
/// two steps change them by some of their last bits. `steps` is at most 2^20.
inline double swinging_factor(std::int64_t steps) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 16) - 1));
  return -(1 - std::ldexp(1.0, -bits));
}
inline constexpr double swinging_addend = 0.75;

/// A binary format of `bits` bits in a word, of which `mantissa` are stored ones. Neither infinities nor NaN.
struct Format {
  int bits, mantissa, bias;

  /// `value` to the nearest, ties to even.
  double rounded(double value) const { return value == 0 ? 0 : std::nearbyint(value / unit(value)) * unit(value); }
  /// `value` must be one that the format has.
  std::uint32_t encoded(double value) const {
    if (value == 0) return 0;
    const auto units = static_cast<std::uint32_t>(std::abs(value) / unit(value));
    const auto above = static_cast<std::uint32_t>(exponent(value) + bias - 1) << mantissa;  // 0 for subnormal ones
    return static_cast<std::uint32_t>(std::signbit(value)) << (bits - 1) | (above + units);
  }
  double decoded(std::uint32_t word) const {
    const auto above = static_cast<int>(word >> mantissa & ((1u << (bits - 1 - mantissa)) - 1));
    const std::uint32_t units = (word & ((1u << mantissa) - 1)) | (above ? 1u << mantissa : 0);
    const double value = std::ldexp(units, std::max(above, 1) - bias - mantissa);
    return word >> (bits - 1) & 1 ? -value : value;
  }

 private:
  int exponent(double value) const { return std::max(std::ilogb(value), 1 - bias); }
  double unit(double value) const { return std::ldexp(1.0, exponent(value) - mantissa); }
};
inline constexpr Format f16_format{16, 10, 15};
inline constexpr Format bf16_format{16, 7, 127};
inline constexpr Format e4m3_format{8, 3, 7};

/// Pairs of half-precision numbers in a word. Their few bits settle after so many steps; so a chain is cut in rounds.
/// After each, the bits of the pair are mixed into a word of 32 bits, from which the next round starts: mixed ← mixed ·
/// `odd` + bits; then x takes sign and mantissa of `mixed`, and the exponent of 1. The end of the chain is `mixed`. A
/// multiply-add is always fused.
struct HalfPair {
  Format format;
  unsigned round;  ///< Steps.

  static constexpr std::uint32_t odd = 0x9e3779b1u;

  constexpr std::uint32_t kept() const { return both(1u << 15 | ((1u << format.mantissa) - 1)); }
  constexpr std::uint32_t ones() const { return both(static_cast<std::uint32_t>(format.bias) << format.mantissa); }

  /// The largest below 1, negated: from ±[1, 2), every two steps of a round move x by a last bit or more.
  double factor() const { return -(1 - std::ldexp(1.0, -format.mantissa - 1)); }

  std::uint32_t both(double value) const { return both(format.encoded(value)); }

  /// What a multiply-add makes of each half that can occur; indexed by its bits.
  std::vector<std::uint16_t> steps() const {
    std::vector<std::uint16_t> all(1 << 16);
    for (std::uint32_t x = 0; x < all.size(); ++x)
      if (const double value = format.decoded(x); std::abs(value) < 8)  // the sum is exact in double
        all[x] = static_cast<std::uint16_t>(format.encoded(format.rounded(value * factor() + swinging_addend)));
    return all;
  }

  /// `start`: any bits. `count`: a multiple of `round`. `step`: as steps() has it.
  std::uint32_t end(std::uint32_t start, std::int64_t count, const std::vector<std::uint16_t>& step) const {
    std::uint32_t mixed = start;
    for (std::int64_t done = 0; done < count; done += round) {
      std::uint32_t x = (mixed & kept()) | ones();
      for (unsigned s = 0; s < round; ++s) x = std::uint32_t{step[x >> 16]} << 16 | step[x & 0xffff];
      mixed = mixed * odd + x;
    }
    return mixed;
  }

 private:
  static constexpr std::uint32_t both(std::uint32_t half) { return half << 16 | half; }
};
inline constexpr HalfPair f16_pair{f16_format, 512};
inline constexpr HalfPair bf16_pair{bf16_format, 128};

/// x ← b - 1/x turns a point of the projective line by an angle: errors neither grow nor fade, and every step shows.
/// The angle is a golden share of a half turn, so that no few steps make whole turns.
struct Rotation {
  static constexpr double angle = std::numbers::pi * (2 - std::numbers::phi);

  /// In float, since kernels take it so; all that follows is for this b.
  static float b() { return static_cast<float>(2 * std::cos(angle)); }
  static double exact_angle() { return std::acos(double{b()} / 2); }

  /// Where x stands, in [0, π); infinity has a place, too.
  static double place(double x) {
    const double t = exact_angle();
    return std::atan2(std::sin(t), x - std::cos(t));
  }
  static double at(double place) {
    const double t = exact_angle();
    return std::cos(t) + std::sin(t) / std::tan(place);
  }
  /// Where `steps` take what stands at `place`.
  static double after(double place, std::int64_t steps) {
    return std::remainder(place + static_cast<double>(steps) * exact_angle(), std::numbers::pi);
  }
  /// The shorter way from one place to another.
  static double between(double a, double b) { return std::abs(std::remainder(a - b, std::numbers::pi)); }

  /// What `steps` may be off by, each with a reciprocal good to `ulp` units in the last place (of 2^-23) and a rounded
  /// subtraction: the place moves by sin t / ((x - cos t)² + sin² t) for each unit of x, of which a step is off by at
  /// most 2^-23 · (ulp · (|x| + b) + |x| / 2).
  static double bound(std::int64_t steps, double ulp) {
    const double t = exact_angle(), s = std::sin(t), c = std::cos(t);
    double worst = 0;
    for (double x = -8; x <= 8; x += 0x1p-8)
      worst = std::max(worst, (ulp * (std::abs(x) + b()) + std::abs(x) / 2) * s / ((x - c) * (x - c) + s * s));
    return static_cast<double>(steps) * worst * 0x1p-23;
  }
};

}  // namespace crosswarp
