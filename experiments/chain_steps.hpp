// Steps of dependent chains, bit-exact on the host: oracles of arithmetic experiments. The constants keep chains from
// growing or converging, so that every step shows in the result.
#pragma once

#include <cstdint>
#include <numbers>
#include <vector>

namespace crosswarp {

/// Rounding of x ← a·x + b in float: once (fused multiply-add), after each of the two operations, or to double and then
/// to float. Oracles accept all three.
enum class Rounding { fused, separate, through_double };

float multiply_add(float x, float a, float b, Rounding rounding);
double multiply_add(double x, double a, double b, Rounding rounding);

/// A factor just above -1 for x ← a·x + b: |factor| to the power `steps` (max 2^20) is about 1/e or more. Values
/// oscillate about b/2, and every two steps change their last bits.
double oscillating_factor(std::int64_t steps);
inline constexpr double oscillating_addend = 0.75;

/// Binary floating-point format of `bits` bits with `mantissa` stored mantissa bits. Neither infinities nor NaN.
struct Format {
  int bits, mantissa, bias;

  /// `value` to the nearest, ties to even.
  double rounded(double value) const;
  /// Requires that the format represents `value`.
  std::uint32_t encoded(double value) const;
  double decoded(std::uint32_t word) const;
};
inline constexpr Format f16_format{16, 10, 15};
inline constexpr Format bf16_format{16, 7, 127};
inline constexpr Format e4m3_format{8, 3, 7};

/// A chain of fused multiply-adds on a pair of half-precision numbers in a 32-bit word.
///
/// Half-precision values converge after a few hundred steps, so a chain is cut into rounds. After each round its bits
/// enter a 32-bit hash, hash ← hash · `multiplier` + x; the next round starts from the hash's sign and mantissa bits
/// with the exponent of 1. The chain's end is the hash.
struct HalfPair {
  Format format;
  unsigned round_steps;  ///< Steps of a round.

  static constexpr std::uint32_t multiplier = 0x9e3779b1u;

  /// The round's first x is (hash & sign_and_mantissa()) | exponent_of_one().
  constexpr std::uint32_t sign_and_mantissa() const { return both(1u << 15 | ((1u << format.mantissa) - 1)); }
  constexpr std::uint32_t exponent_of_one() const {
    return both(static_cast<std::uint32_t>(format.bias) << format.mantissa);
  }

  /// The format's next value above -1: from ±[1, 2), every two steps of a round move x by a last bit or more.
  double factor() const;

  /// `value` in both halves of a word.
  std::uint32_t both(double value) const;

  /// One step for each half-precision value that can occur, indexed by its bits.
  std::vector<std::uint16_t> steps() const;

  /// End of a chain of `count` steps, a multiple of `round_steps`. `start`: any bits. `step`: from steps().
  std::uint32_t end(std::uint32_t start, std::int64_t count, const std::vector<std::uint16_t>& step) const;

 private:
  static constexpr std::uint32_t both(std::uint32_t half) { return half << 16 | half; }
};
inline constexpr HalfPair f16_pair{f16_format, 512};
inline constexpr HalfPair bf16_pair{bf16_format, 128};

/// x ← b - 1/x rotates a point of the projective line by a fixed angle. Errors neither grow nor fade, and every step
/// shows. The angle is a half turn over the square of the golden ratio: no small number of steps comes near whole
/// turns.
struct Rotation {
  static constexpr double angle = std::numbers::pi * (2 - std::numbers::phi);

  /// b in float, as kernels use it, and the step's angle for exactly this b.
  static float b();
  static double exact_angle();

  /// Angle of x, in [0, π) with one angle for infinity; and its inverse.
  static double angle_of(double x);
  static double at(double angle);
  /// Angle after `steps` steps from `angle`.
  static double after(double angle, std::int64_t steps);
  /// Distance between two angles, modulo π.
  static double between(double a, double b);

  /// Max error of the angle after `steps` steps, each with a reciprocal within `ulp` units in the last place (2^-23)
  /// and a rounded subtraction. A step's error in x is at most 2^-23 · (ulp · (|x| + b) + |x| / 2); a unit of x moves
  /// the angle by sin t / ((x - cos t)² + sin² t).
  static double bound(std::int64_t steps, double ulp);
};

}  // namespace crosswarp
