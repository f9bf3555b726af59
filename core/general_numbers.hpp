// Random inputs of full precision, whose sums round. The same on host and device.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/half.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// Distributions for measuring accuracy.
enum class Distribution {
  uniform,         ///< In [-1, 1].
  positive,        ///< Uniform in (0, 1].
  ill_conditioned  ///< Over 27 binades, with condition Σ|x| / |Σx| = 10^6. Out of the range of 8-bit types.
};
inline constexpr std::array distributions{Distribution::uniform, Distribution::positive, Distribution::ill_conditioned};
std::string to_string(Distribution distribution);

/// Random numbers with all bits of a floating-point type, computed per index: terms of sums, or operands of a gemm.
///
/// Ill-conditioned sums consist of triples in random order: a large number, its negation, and a small positive number;
/// the sum is that of the small ones. In a gemm, A has the signs, and B has equal numbers where A has opposite ones, so
/// that each element of C is such a sum.
struct GeneralNumbers {
  enum class Role { term, a, b };

  Distribution distribution;
  RandomStream random;
  Permutation order;         // of the terms of a sum
  std::uint64_t stride = 1;  // between neighbouring terms of a sum
  int large, small;          // min exponent of each kind
  bool has_signs;

  /// Sums of `terms` numbers at distance `stride`. A gemm takes operands of one seed and different roles.
  constexpr GeneralNumbers(Distribution of, std::uint64_t seed, std::uint64_t terms, Role role = Role::term,
                           std::uint64_t distance = 1)
      : distribution(of),
        random(seed, first_stream + static_cast<std::uint64_t>(role)),
        order(seed, first_stream - 1, terms > 0 ? terms : 1),
        stride(distance),
        large(role == Role::term ? 5 : -4),
        small(role == Role::b ? -13 : -14),
        has_signs(role != Role::b) {}

  template <class T>
  constexpr T at(std::uint64_t i) const {
    if (distribution == Distribution::uniform) return in_unit<T>(static_cast<std::int64_t>(random.word(i)));
    if (distribution == Distribution::positive) return in_unit<T>(static_cast<std::int64_t>(random.word(i) >> 1 | 1));
    const std::uint64_t rank = order(i / stride % order.size);
    const std::uint64_t line = i / (stride * order.size) * stride + i % stride;
    const bool is_large = rank < order.size / 3 * 3 && rank % 3 < 2;
    const bool is_partner = is_large && rank % 3 == 1;
    const std::uint64_t word = random.word(line * order.size + rank - (is_partner ? 1 : 0));
    const int exponent = (is_large ? large : small) + static_cast<int>(word % binades);
    return with_exponent<T>(exponent, word, is_partner && has_signs);
  }

 private:
  static constexpr std::uint64_t first_stream = std::uint64_t{1} << 32;  // sets of inputs use lower ones
  static constexpr std::uint64_t binades = 8;

  /// steps · 2^-63, rounded to nearest.
  template <class T>
  static constexpr T in_unit(std::int64_t steps) {
    if constexpr (std::same_as<T, Half>)
      return to_half(static_cast<float>(steps) * 0x1p-63f);
    else if constexpr (std::same_as<T, Bfloat16>)
      return to_bfloat16(static_cast<float>(steps) * 0x1p-63f);
    else if constexpr (std::same_as<T, E4m3>)
      return to_e4m3(static_cast<float>(steps) * 0x1p-63f);
    else if constexpr (std::same_as<T, E5m2>)
      return to_e5m2(static_cast<float>(steps) * 0x1p-63f);
    else
      return static_cast<T>(steps) * static_cast<T>(0x1p-63);
  }

  /// ± 1.f · 2^exponent with the first bits of `word` as fraction f. The exponent must be that of a normal number; of
  /// 8 bits, which saturate and round, it may be any.
  template <class T>
  static constexpr T with_exponent(int exponent, std::uint64_t word, bool is_negative) {
    if constexpr (std::same_as<T, double>)
      return std::bit_cast<double>(bits<std::uint64_t, 52, 1023>(exponent, word, is_negative));
    else if constexpr (std::same_as<T, float>)
      return std::bit_cast<float>(bits<std::uint32_t, 23, 127>(exponent, word, is_negative));
    else if constexpr (std::same_as<T, Half>)
      return {bits<std::uint16_t, 10, 15>(exponent, word, is_negative)};
    else if constexpr (std::same_as<T, E4m3>)
      return to_e4m3(with_exponent<float>(exponent, word, is_negative));
    else if constexpr (std::same_as<T, E5m2>)
      return to_e5m2(with_exponent<float>(exponent, word, is_negative));
    else
      return {bits<std::uint16_t, 7, 127>(exponent, word, is_negative)};
  }
  template <class Word, int fraction_bits, int bias>
  static constexpr Word bits(int exponent, std::uint64_t word, bool is_negative) {
    const std::uint64_t magnitude =
        static_cast<std::uint64_t>(exponent + bias) << fraction_bits | word >> (64 - fraction_bits);
    return static_cast<Word>(magnitude | (is_negative ? std::uint64_t{1} << (8 * sizeof(Word) - 1) : 0));
  }
};

/// Device::generate_general on the host, on all cores. Throws Error for integers.
void fill_general(const TypedSpan& to, const GeneralNumbers& numbers);

}  // namespace crosswarp
