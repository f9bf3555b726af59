#include "experiments/chain_steps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace crosswarp {
namespace {

int exponent(const Format& format, double value) { return std::max(std::ilogb(value), 1 - format.bias); }
/// Unit in the last place.
double unit(const Format& format, double value) { return std::ldexp(1.0, exponent(format, value) - format.mantissa); }

}  // namespace

float multiply_add(float x, float a, float b, Rounding rounding) {
  if (rounding == Rounding::fused) return std::fmaf(x, a, b);
  if (rounding == Rounding::through_double) return static_cast<float>(std::fma(double{x}, double{a}, double{b}));
  const volatile float product = x * a;  // volatile: not to be contracted
  return product + b;
}

double multiply_add(double x, double a, double b, Rounding rounding) {
  if (rounding != Rounding::separate) return std::fma(x, a, b);
  const volatile double product = x * a;
  return product + b;
}

double oscillating_factor(std::int64_t steps) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(steps, 16) - 1));
  return -(1 - std::ldexp(1.0, -bits));
}

double Format::rounded(double value) const {
  return value == 0 ? 0 : std::nearbyint(value / unit(*this, value)) * unit(*this, value);
}

std::uint32_t Format::encoded(double value) const {
  if (value == 0) return 0;
  const auto units = static_cast<std::uint32_t>(std::abs(value) / unit(*this, value));
  const auto above = static_cast<std::uint32_t>(exponent(*this, value) + bias - 1) << mantissa;  // subnormal: 0
  return static_cast<std::uint32_t>(std::signbit(value)) << (bits - 1) | (above + units);
}

double Format::decoded(std::uint32_t word) const {
  const auto above = static_cast<int>(word >> mantissa & ((1u << (bits - 1 - mantissa)) - 1));
  const std::uint32_t units = (word & ((1u << mantissa) - 1)) | (above ? 1u << mantissa : 0);
  const double value = std::ldexp(units, std::max(above, 1) - bias - mantissa);
  return word >> (bits - 1) & 1 ? -value : value;
}

double HalfPair::factor() const { return -(1 - std::ldexp(1.0, -format.mantissa - 1)); }

std::uint32_t HalfPair::both(double value) const { return both(format.encoded(value)); }

std::vector<std::uint16_t> HalfPair::steps() const {
  std::vector<std::uint16_t> all(1 << 16);
  for (std::uint32_t x = 0; x < all.size(); ++x)
    if (const double value = format.decoded(x); std::abs(value) < 8)  // the sum is exact in double
      all[x] = static_cast<std::uint16_t>(format.encoded(format.rounded(value * factor() + oscillating_addend)));
  return all;
}

std::uint32_t HalfPair::end(std::uint32_t start, std::int64_t count, const std::vector<std::uint16_t>& step) const {
  std::uint32_t hash = start;
  for (std::int64_t done = 0; done < count; done += round_steps) {
    std::uint32_t x = (hash & sign_and_mantissa()) | exponent_of_one();
    for (unsigned s = 0; s < round_steps; ++s) x = std::uint32_t{step[x >> 16]} << 16 | step[x & 0xffff];
    hash = hash * multiplier + x;
  }
  return hash;
}

float Rotation::b() { return static_cast<float>(2 * std::cos(angle)); }

double Rotation::exact_angle() { return std::acos(double{b()} / 2); }

double Rotation::angle_of(double x) {
  const double t = exact_angle();
  return std::atan2(std::sin(t), x - std::cos(t));
}

double Rotation::at(double angle) {
  const double t = exact_angle();
  return std::cos(t) + std::sin(t) / std::tan(angle);
}

double Rotation::after(double angle, std::int64_t steps) {
  return std::remainder(angle + static_cast<double>(steps) * exact_angle(), std::numbers::pi);
}

double Rotation::between(double a, double b) { return std::abs(std::remainder(a - b, std::numbers::pi)); }

double Rotation::bound(std::int64_t steps, double ulp) {
  const double t = exact_angle(), s = std::sin(t), c = std::cos(t);
  double worst = 0;
  for (double x = -8; x <= 8; x += 0x1p-8)
    worst = std::max(worst, (ulp * (std::abs(x) + b()) + std::abs(x) / 2) * s / ((x - c) * (x - c) + s * s));
  return static_cast<double>(steps) * worst * 0x1p-23;
}

}  // namespace crosswarp
