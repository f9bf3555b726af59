// Random streams; exact sums of lattice numbers in float.
#include "core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace crosswarp {
namespace {

TEST(Mix, IsTheFinaliserOfSplitMix64) {
  // The first outputs of the reference implementation (Vigna, splitmix64.c) for the state 1234567.
  EXPECT_EQ(mix(1234567u + 0x9e3779b97f4a7c15u), 6457827717110365317u);
  EXPECT_EQ(mix(1234567u + 2 * 0x9e3779b97f4a7c15u), 3203168211198807973u);
}

TEST(RandomStream, DiffersBySeedAndByNumber) {
  std::set<std::uint32_t> words;
  std::size_t drawn = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed)
    for (std::uint64_t number = 0; number < 16; ++number)
      for (std::uint64_t i = 0; i < 4; ++i, ++drawn) words.insert(RandomStream(seed, number)(i));
  EXPECT_GE(words.size() + 1, drawn);  // 1024 draws of 2^32: a single repetition has odds of 1 in 8000
}

TEST(RandomStream, OfTwoSeedsOrNumbersIsUncorrelated) {
  const std::pair<RandomStream, RandomStream> pairs[] = {{{1, 0}, {2, 0}}, {{1, 0}, {1, 1}}, {{0, 1}, {1, 0}}};
  constexpr int n = 1 << 14;
  for (const auto& [a, b] : pairs) {
    int differing = 0;
    for (std::uint64_t i = 0; i < n; ++i) differing += std::popcount(a(i) ^ b(i));
    EXPECT_NEAR(differing / double{n}, 16, 6 * std::sqrt(8.0 / n));  // six standard deviations
  }
}

TEST(RandomStream, HasFairBits) {
  const RandomStream random(3, 5);
  constexpr int n = 1 << 14;
  for (int bit = 0; bit < 32; ++bit) {
    int ones = 0;
    for (std::uint64_t i = 0; i < n; ++i) ones += random(i) >> bit & 1;
    EXPECT_NEAR(ones / double{n}, 0.5, 6 * 0.5 / std::sqrt(n)) << "bit " << bit;
  }
}

TEST(Lattice, HoldsOddMultiplesOfItsStepInsideTheUnitInterval) {
  for (const int bits : {1, 2, 6, 11, 16, 21}) {
    const Lattice elements{RandomStream(1, 2), bits};
    int negative = 0;
    for (std::uint64_t i = 0; i < 4096; ++i) {
      EXPECT_NE(elements.steps(i) % 2, 0);
      EXPECT_LT(std::abs(elements.steps(i)), 1 << bits);
      EXPECT_EQ(elements(i), std::ldexp(elements.steps(i), -bits));
      negative += elements(i) < 0;
    }
    EXPECT_NEAR(negative, 2048, 6 * 32) << bits;
  }
}

TEST(Lattice, ReachesBothEnds) {
  const Lattice elements{RandomStream(1, 2), 3};
  std::set<std::int32_t> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) seen.insert(elements.steps(i));
  EXPECT_EQ(seen, (std::set<std::int32_t>{-7, -5, -3, -1, 1, 3, 5, 7}));
}

TEST(ExactBits, KeepsAMarginOfEightDeviationsAndNoBitMore) {
  const auto deviations = [](std::uint64_t n, int bits) {  // of 2^24 steps, for the sum of n elements
    return std::ldexp(1, 24) / (std::ldexp(1, bits) / std::sqrt(3.0) * std::sqrt(static_cast<double>(n)));
  };
  for (const int log_n : {10, 20, 31, 38}) {
    const std::uint64_t n = std::uint64_t{1} << log_n;
    const int bits = exact_bits(n);
    EXPECT_GE(deviations(n, bits), 8) << log_n;
    EXPECT_LT(deviations(n, bits + 1), 8) << log_n;
  }
  EXPECT_EQ(exact_bits(std::uint64_t{1} << 10), 16);
  EXPECT_EQ(exact_bits(std::uint64_t{1} << 20), 11);
  EXPECT_EQ(exact_bits(std::uint64_t{1} << 31), 6);
}

TEST(ExactBits, StaysBetween1And21) {
  EXPECT_EQ(exact_bits(0), 21);
  EXPECT_EQ(exact_bits(1), 21);
  EXPECT_EQ(exact_bits(~std::uint64_t{0}), 1);
}

/// Sums in float, in the given order. Fails where a partial sum is more than 24 bits can hold.
float sum_in_float(const Lattice& elements, const std::vector<std::uint64_t>& order) {
  float sum = 0;
  std::int64_t steps = 0;
  bool representable = true;
  for (const std::uint64_t i : order) {
    sum += elements(i);
    steps += elements.steps(i);
    representable = representable && std::abs(steps) <= 1 << 24;
  }
  EXPECT_TRUE(representable);
  return sum;
}

TEST(ExactSum, IsWhatFloatGivesInAnyOrder) {
  std::mt19937_64 shuffler(11);
  for (const std::uint64_t n : {0, 1, 2, 3, 31, 1000, 1 << 10, 65'537, 1 << 20}) {
    const Lattice elements{RandomStream(4, n), exact_bits(n)};
    std::vector<std::uint64_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    const double exact = exact_sum(elements, n);
    for (int permutation = 0; permutation < 4; ++permutation) {
      EXPECT_EQ(sum_in_float(elements, order), exact) << "n " << n << ", permutation " << permutation;
      std::shuffle(order.begin(), order.end(), shuffler);
    }
  }
}

TEST(ExactSum, IsWhatFloatGivesInAnyGrouping) {
  constexpr std::uint64_t n = 1 << 20;
  const Lattice elements{RandomStream(9, 0), exact_bits(n)};
  std::vector<float> sums(n);
  for (std::uint64_t i = 0; i < n; ++i) sums[i] = elements(i);
  for (std::uint64_t half = n / 2; half > 0; half /= 2)  // a tree over strided pairs
    for (std::uint64_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  EXPECT_EQ(sums[0], exact_sum(elements, n));
}

TEST(ExactSum, ShowsOneElementDroppedOrAddedTwice) {
  const std::uint64_t n = std::uint64_t{1} << 31;  // the bits of a large sum, on a few elements of it
  const Lattice elements{RandomStream(4, 0), exact_bits(n)};
  const double exact = exact_sum(elements, 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_NE(static_cast<float>(exact) - elements(i), exact);
    EXPECT_NE(static_cast<float>(exact) + elements(i), exact);
  }
}

class PermutationTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PermutationTest, VisitsEveryIndexOnce) {
  const Permutation order(7, 1, GetParam());
  std::vector<bool> visited(GetParam());
  for (std::uint64_t i = 0; i < GetParam(); ++i) {
    ASSERT_LT(order(i), GetParam());
    EXPECT_FALSE(visited[order(i)]);
    visited[order(i)] = true;
  }
}

TEST_P(PermutationTest, AscendsFromAnyIndex) {
  const std::uint64_t n = GetParam(), first = n / 2;
  const Permutation order = Permutation::ascending(n).starting_with(first);
  for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(order(i), (first + i) % n);
}

INSTANTIATE_TEST_SUITE_P(Sizes, PermutationTest, testing::Values(1, 2, 3, 4, 5, 16, 17, 31, 1000, 4096, 65'537));

TEST(Permutation, LeavesNoPattern) {
  const std::uint64_t n = 1 << 16;
  const Permutation order(7, 1, n), other(7, 2, n);
  std::map<std::uint64_t, int> steps;
  int fixed = 0, same = 0;
  for (std::uint64_t i = 0; i + 1 < n; ++i) {
    ++steps[(order(i + 1) - order(i)) % n];
    fixed += order(i) == i;
    same += order(i) == other(i);
  }
  const int most =
      std::max_element(steps.begin(), steps.end(), [](auto a, auto b) { return a.second < b.second; })->second;
  EXPECT_LT(most, 12);  // one on average
  EXPECT_LT(fixed, 8);
  EXPECT_LT(same, 8);
}

TEST(FillChain, MakesOneCycleOfAllSlots) {
  const std::uint64_t slots = 1000, stride = 24;
  std::vector<std::byte> memory(slots * stride, std::byte{0x5a});
  const std::uint64_t origin = 1 << 20;
  fill_chain(memory, stride, Permutation(3, 0, slots), origin);
  std::uint64_t at = 0, steps = 0;
  do {
    EXPECT_EQ(memory[at + 8], std::byte{0x5a});
    std::memcpy(&at, memory.data() + at, sizeof at);
    ASSERT_GE(at, origin);
    at -= origin;
    ASSERT_EQ(at % stride, 0u);
    ++steps;
  } while (at != 0 && steps <= slots);
  EXPECT_EQ(steps, slots);
}

}  // namespace
}  // namespace crosswarp
