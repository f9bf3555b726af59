#include "core/checksum.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "core/buffer.hpp"
#include "core/host_device.hpp"

namespace crosswarp {
namespace {

constexpr std::uint64_t n = 3 * Checksum::block + 5;

std::uint32_t word_at(std::uint64_t i) { return std::bit_cast<std::uint32_t>(static_cast<float>(i + 1)); }

const Words words = [](std::uint64_t first, std::span<std::uint32_t> to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = word_at(first + i);
};

TEST(Checksum, KnowsWhatStandsBeforeEachBlock) {
  const Checksum sum = checksum(n, words);
  ASSERT_EQ(sum.before.size(), 4u);
  for (std::size_t block = 0; block < sum.before.size(); ++block)
    EXPECT_EQ(sum.before[block], checksum(block * Checksum::block, words).weighted) << block;
}

TEST(Checksum, IsThatOfThePlaces) {
  const Words backwards = [](std::uint64_t first, std::span<std::uint32_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::uint32_t>(n - 1 - first - i);
  };
  const Words reversed = [&](std::uint64_t first, std::span<std::uint32_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = word_at(n - 1 - first - i);
  };
  const Checksum sum = checksum(n, words), of_places = checksum(n, reversed, backwards);
  EXPECT_EQ(of_places.weighted, sum.weighted);
  EXPECT_EQ(of_places.before, sum.before);
}

TEST(Checksum, NamesTheFirstWrongElement) {
  const auto device = open_host_device();
  const Buffer<float> array(*device, n);
  const auto put_right = [&] { words(0, {reinterpret_cast<std::uint32_t*>(array.span().data()), n}); };
  put_right();
  const Checksum expected = checksum(n, words);
  EXPECT_TRUE(compare_words(*device, array.span(), words, expected, "out").ok);
  for (const std::uint64_t i :
       {std::uint64_t{0}, Checksum::block - 1, Checksum::block, 2 * Checksum::block + 77, n - 1}) {
    array.span()[i] = -1;
    array.span()[n - 1] = -1;
    const Verdict verdict = compare_words(*device, array.span(), words, expected, "out");
    EXPECT_FALSE(verdict.ok);
    EXPECT_NE(verdict.where.find("out[" + std::to_string(i) + "]"), std::string::npos) << verdict.where;
    put_right();
  }
}

}  // namespace
}  // namespace crosswarp
