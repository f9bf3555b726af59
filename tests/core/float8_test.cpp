// Conversions of 8-bit floats against their definition: all codes, and rounding between and beyond them.
#include "core/float8.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/random.hpp"

namespace crosswarp {
namespace {

struct Definition {
  int fraction_bits, bias;
  double max;
};

/// OFP8's value of a code that is a number: (-1)^s · 2^(e - bias) · 1.f, or 2^(1 - bias) · 0.f for e = 0.
double value_of(unsigned code, const Definition& type) {
  const int fraction_bits = type.fraction_bits;
  const int exponent = static_cast<int>(code & 0x7f) >> fraction_bits;
  const double fraction = std::ldexp(static_cast<double>(code & ((1u << fraction_bits) - 1)), -fraction_bits);
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - type.bias) : std::ldexp(1 + fraction, exponent - type.bias);
  return code & 0x80 ? -magnitude : magnitude;
}

template <class T>
constexpr Definition definition{3, 7, 448};
template <>
constexpr Definition definition<E5m2>{2, 15, 57344};

template <class T>
T rounded(float value) {
  if constexpr (std::same_as<T, E4m3>)
    return to_e4m3(value);
  else
    return to_e5m2(value);
}

template <class T>
constexpr bool is_nan(unsigned code) {
  return std::same_as<T, E4m3> ? (code & 0x7f) == 0x7f : (code & 0x7f) > 0x7c;
}
template <class T>
constexpr bool is_infinite(unsigned code) {
  return std::same_as<T, E5m2> && (code & 0x7f) == 0x7c;
}

template <class T>
class Float8 : public testing::Test {
 protected:
  /// The numbers of type T that are not negative, ascending: their codes are 0, 1, 2 …
  static std::vector<float> numbers() {
    std::vector<float> all;
    for (unsigned code = 0; code < 0x80; ++code)
      if (!is_nan<T>(code) && !is_infinite<T>(code)) all.push_back(to_float(T{static_cast<std::uint8_t>(code)}));
    return all;
  }
};
using Types = testing::Types<E4m3, E5m2>;
TYPED_TEST_SUITE(Float8, Types);

TYPED_TEST(Float8, EachCodeHasTheValueOfItsDefinition) {
  for (unsigned code = 0; code < 256; ++code) {
    const float value = to_float(TypeParam{static_cast<std::uint8_t>(code)});
    EXPECT_EQ(std::isnan(value), is_nan<TypeParam>(code)) << code;
    EXPECT_EQ(std::isinf(value), is_infinite<TypeParam>(code)) << code;
    EXPECT_EQ(std::signbit(value), code >= 0x80) << code;
    if (std::isfinite(value)) {
      EXPECT_EQ(value, value_of(code, definition<TypeParam>)) << code;
      EXPECT_EQ(rounded<TypeParam>(value).bits, code);
    }
  }
  EXPECT_EQ(this->numbers().back(), definition<TypeParam>.max);
}

TYPED_TEST(Float8, RoundsToNearestAndTiesToEven) {
  const std::vector<float> all = this->numbers();
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const float middle = (all[i] + all[i + 1]) / 2;  // exact
    const auto low = static_cast<std::uint8_t>(i), high = static_cast<std::uint8_t>(i + 1);
    const auto even = i % 2 == 0 ? low : high;
    EXPECT_EQ(rounded<TypeParam>(std::nextafter(middle, 0.0f)).bits, low) << middle;
    EXPECT_EQ(rounded<TypeParam>(middle).bits, even) << middle;
    EXPECT_EQ(rounded<TypeParam>(std::nextafter(middle, all[i + 1])).bits, high) << middle;
    EXPECT_EQ(rounded<TypeParam>(-middle).bits, even | 0x80) << middle;
  }
}

TYPED_TEST(Float8, RandomNumbersRoundToTheNearest) {
  const std::vector<float> all = this->numbers();
  const RandomStream random(3, 1);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const float value = std::ldexp(1 + std::ldexp(static_cast<float>(random(2 * i) >> 9), -23),
                                   static_cast<int>(random(2 * i + 1) % 40) - 22);
    const float is = to_float(rounded<TypeParam>(value));
    double nearest = std::numeric_limits<double>::infinity();
    for (const float number : all) nearest = std::min(nearest, std::abs(double{number} - value));
    EXPECT_EQ(std::abs(double{is} - value), nearest) << value;
  }
}

TYPED_TEST(Float8, SaturatesAndKeepsNan) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float max = static_cast<float>(definition<TypeParam>.max);
  for (const float value : {std::nextafter(max, infinity), 2 * max, std::numeric_limits<float>::max(), infinity}) {
    EXPECT_EQ(to_float(rounded<TypeParam>(value)), max) << value;
    EXPECT_EQ(to_float(rounded<TypeParam>(-value)), -max) << value;
  }
  EXPECT_TRUE(std::isnan(to_float(rounded<TypeParam>(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isnan(to_float(rounded<TypeParam>(-std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(rounded<TypeParam>(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(rounded<TypeParam>(-0.0f).bits, 0x80);
}

/// As inputs of products are: odd multiples of 2^-bits.
TYPED_TEST(Float8, HoldsLatticeElementsOfItsPrecision) {
  const Elements elements{{RandomStream(3, 2), definition<TypeParam>.fraction_bits + 1}};
  std::vector<TypeParam> made(1000);
  fill_elements(std::span(made), elements);
  for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(to_float(made[i]), elements.lattice(i));
}

}  // namespace
}  // namespace crosswarp
