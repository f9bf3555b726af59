// Counter-based random numbers, the same on device and host, and inputs whose sums are exact in float.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/float8.hpp"
#include "core/half.hpp"

namespace crosswarp {

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a bijection of 64-bit words with full avalanche.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// A stream of random words, addressed by index. Streams of different seeds or numbers are independent.
struct RandomStream {
  std::uint64_t key = 0;

  constexpr RandomStream(std::uint64_t seed, std::uint64_t number) : key(mix(mix(seed) + number)) {}

  /// 32 random bits. Two neighbours share a mixing step.
  constexpr std::uint32_t operator()(std::uint64_t i) const {
    const std::uint64_t word = mix(key + (i / 2 + 1) * 0x9e3779b97f4a7c15u);
    return static_cast<std::uint32_t>(i % 2 ? word >> 32 : word);
  }
  /// 64 random bits. Not independent of the 32-bit words.
  constexpr std::uint64_t word(std::uint64_t i) const { return mix(key + (i + 1) * 0x9e3779b97f4a7c15u); }
};

/// Seed of a generation of inputs: the numbers that a problem's buffers hold at one time. Generation 0 has the run's
/// seed.
constexpr std::uint64_t generation_seed(std::uint64_t seed, std::uint64_t generation) {
  return generation == 0 ? seed : mix(seed + generation * 0x9e3779b97f4a7c15u);
}

/// Random permutation of 0 … size-1, computed per position: a Feistel network over the next power of two, with cycle
/// walking (Black and Rogaway, CT-RSA 2002). Requires 1 ≤ size ≤ 2^48.
struct Permutation {
  std::uint64_t key = 0;
  std::uint64_t size = 1;
  unsigned low_bits = 1, high_bits = 1;
  std::uint64_t shift = 0;  ///< Added to every index, modulo size.
  bool is_ascending = false;

  constexpr Permutation(std::uint64_t seed, std::uint64_t number, std::uint64_t of)
      : key(RandomStream(seed, number).key), size(of) {
    while (std::uint64_t{1} << (low_bits + high_bits) < size) ++(low_bits > high_bits ? high_bits : low_bits);
  }

  constexpr std::uint64_t operator()(std::uint64_t index) const {
    if (!is_ascending) index = within(index);
    return index < size - shift ? index + shift : index - (size - shift);
  }

  /// The identity of `of` indices.
  static constexpr Permutation ascending(std::uint64_t of) {
    Permutation identity(0, 0, of);
    identity.is_ascending = true;
    return identity;
  }

  /// The same permutation, rotated so that position 0 has index `first`.
  constexpr Permutation starting_with(std::uint64_t first) const {
    Permutation rotated = *this;
    rotated.shift = 0;
    const std::uint64_t now = rotated(0);
    rotated.shift = first >= now ? first - now : first + (size - now);
    return rotated;
  }

 private:
  static constexpr std::uint64_t low(std::uint64_t word, unsigned bits) {
    return word & ((std::uint64_t{1} << bits) - 1);
  }

  constexpr std::uint64_t within(std::uint64_t index) const {
    do index = shuffled(index);
    while (index >= size);
    return index;
  }

  /// A bijection of words of low_bits + high_bits bits: each round mixes one half into the other.
  constexpr std::uint64_t shuffled(std::uint64_t word) const {
    std::uint64_t a = low(word, low_bits), b = word >> low_bits;
    for (std::uint64_t round = 0; round < 3; ++round) {
      b ^= low(mix(key + 2 * round + (a << 8)), high_bits);
      a ^= low(mix(key + 2 * round + 1 + (b << 8)), low_bits);
    }
    return b << low_bits | a;
  }
};

/// Random odd multiples of 2^-bits in (-1, 1): never zero, both signs, mean zero.
///
/// With `bits` from `exact_bits(n)`, every partial sum of n such numbers, in any data-independent order and grouping,
/// is a multiple of 2^-bits below 2^24 steps, hence exact in float. A correct sum has no rounding error, and its oracle
/// needs no tolerance: one dropped or repeated element shows at any n.
struct Lattice {
  RandomStream random;
  int bits = 0;

  /// The element in steps of 2^-bits; |steps| < 2^bits.
  constexpr std::int32_t steps(std::uint64_t i) const {
    const std::int32_t q = bits > 0 ? static_cast<std::int32_t>(random(i) >> (32 - bits)) : 0;
    return 2 * q + 1 - (std::int32_t{1} << bits);
  }
  constexpr float step() const { return 1.0f / static_cast<float>(std::uint32_t{1} << bits); }
  constexpr float operator()(std::uint64_t i) const { return static_cast<float>(steps(i)) * step(); }
};

/// Max bits for which partial sums of `n` lattice elements stay below 2^24 steps with a margin of eight standard
/// deviations (a step count has deviation 2^bits / sqrt(3)): 64/3 · 4^bits · n ≤ 2^48. From 1 to 21.
constexpr int exact_bits(std::uint64_t n) {
  int bits = 1;
  while (bits < 21 && n <= (std::uint64_t{3} << 42) >> (2 * (bits + 1))) ++bits;
  return bits;
}

/// The same for sums of 32-bit integers, below 2^31 steps: 64/3 · 4^bits · n ≤ 2^62. From 1 to 20: idle lanes, whose
/// sums are unused, add an element up to a thousand times without overflow.
constexpr int exact_integer_bits(std::uint64_t n) {
  int bits = 1;
  while (bits < 20 && n <= (std::uint64_t{3} << 56) >> (2 * (bits + 1))) ++bits;
  return bits;
}

/// A lattice shifted by `shift` steps, in any type; integers are the steps themselves. Requires that the type holds
/// every element.
struct Elements {
  Lattice lattice;
  std::int32_t shift = 0;

  template <class T>
  constexpr T at(std::uint64_t i) const {
    return of<T>(lattice.steps(i) + shift);
  }
  template <class T>
  constexpr T of(std::int32_t steps) const {
    if constexpr (std::same_as<T, std::int32_t>)
      return steps;
    else if constexpr (std::same_as<T, Half>)
      return to_half(static_cast<float>(steps) * lattice.step());
    else if constexpr (std::same_as<T, Bfloat16>)
      return to_bfloat16(static_cast<float>(steps) * lattice.step());
    else if constexpr (std::same_as<T, E4m3>)
      return to_e4m3(static_cast<float>(steps) * lattice.step());
    else if constexpr (std::same_as<T, E5m2>)
      return to_e5m2(static_cast<float>(steps) * lattice.step());
    else
      return static_cast<T>(steps) * static_cast<T>(lattice.step());
  }
};

/// Memory of elements of any supported type.
using TypedSpan = std::variant<std::span<float>, std::span<double>, std::span<std::int32_t>, std::span<Half>,
                               std::span<Bfloat16>, std::span<E4m3>, std::span<E5m2>>;

/// Device::generate_elements on the host, on all cores.
void fill_elements(const TypedSpan& to, const Elements& elements);

/// Exact sum of the first `n` elements, in integers, on all cores.
double exact_sum(const Lattice& elements, std::uint64_t n);

/// Exact sums of `rows` rows of `columns` elements. Exact in float with `bits` from `exact_bits(columns)`.
std::vector<float> exact_sums(const Lattice& elements, std::uint64_t rows, std::uint64_t columns);

/// Device::permute and Device::chain on the host, on all cores.
void fill_permutation(std::span<std::uint32_t> to, const Permutation& order);
void fill_chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin);

}  // namespace crosswarp
