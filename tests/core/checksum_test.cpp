#include "core/checksum.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "core/buffer.hpp"
#include "core/host_device.hpp"

namespace crosswarp {
namespace {

constexpr std::uint64_t word_count = 3 * Checksum::block + 5;

std::uint32_t rising_word(std::uint64_t i) { return std::bit_cast<std::uint32_t>(static_cast<float>(i + 1)); }

const Words rising = [](std::uint64_t first, std::span<std::uint32_t> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = rising_word(first + i);
};

TEST(Checksum, KnowsWhatStandsBeforeEachBlock) {
  const Checksum sum = checksum(word_count, rising);
  ASSERT_EQ(sum.before.size(), 4u);
  for (std::size_t block = 0; block < sum.before.size(); ++block)
    EXPECT_EQ(sum.before[block], checksum(block * Checksum::block, rising).weighted) << block;
}

TEST(Checksum, IsThatOfThePlaces) {
  const Words backwards = [](std::uint64_t first, std::span<std::uint32_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::uint32_t>(word_count - 1 - first - i);
  };
  const Words reversed = [&](std::uint64_t first, std::span<std::uint32_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = rising_word(word_count - 1 - first - i);
  };
  const Checksum sum = checksum(word_count, rising), of_places = checksum(word_count, reversed, backwards);
  EXPECT_EQ(of_places.weighted, sum.weighted);
  EXPECT_EQ(of_places.before, sum.before);
}

TEST(Checksum, NamesTheFirstWrongElement) {
  const auto device = open_host_device();
  const Buffer<float> array(*device, word_count);
  const auto put_right = [&] { rising(0, {reinterpret_cast<std::uint32_t*>(array.span().data()), word_count}); };
  put_right();
  const Checksum expected = checksum(word_count, rising);
  EXPECT_TRUE(compare_words(*device, array.span(), rising, expected, "out").ok);
  for (const std::uint64_t i :
       {std::uint64_t{0}, Checksum::block - 1, Checksum::block, 2 * Checksum::block + 77, word_count - 1}) {
    array.span()[i] = -1;
    array.span()[word_count - 1] = -1;
    const Verdict verdict = compare_words(*device, array.span(), rising, expected, "out");
    EXPECT_FALSE(verdict.ok);
    EXPECT_NE(verdict.where.find("out[" + std::to_string(i) + "]"), std::string::npos) << verdict.where;
    put_right();
  }
}

}  // namespace
}  // namespace crosswarp
