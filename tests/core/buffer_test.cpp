// Buffers detect out-of-bounds writes at every misalignment, and poison never looks like a result.
#include "core/buffer.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/host_device.hpp"
#include "tests/core/fake.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

Device& host() { return *open_host_device(); }

class Misaligned : public testing::TestWithParam<std::size_t> {};

TEST_P(Misaligned, StartsThatManyElementsPastAnAlignedAddress) {
  const Buffer<float> buffer(host(), 100, GetParam());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.span().data()) % 256, GetParam() * sizeof(float));
  EXPECT_EQ(buffer.size(), 100u);
}

TEST_P(Misaligned, NoticesAWriteOnEitherSideAndNoneInside) {
  for (const std::size_t count : {0, 1, 2, 5, 4096}) {
    const auto guard = static_cast<std::ptrdiff_t>(Buffer<float>::guard),
               bytes = static_cast<std::ptrdiff_t>(4 * count);
    const auto front = guard + static_cast<std::ptrdiff_t>(4 * GetParam());
    for (const std::ptrdiff_t at : {-front, -guard, std::ptrdiff_t{-1}, bytes, bytes + 3, bytes + guard - 1}) {
      Buffer<float> buffer(host(), count, GetParam());
      auto* const first = reinterpret_cast<std::byte*>(buffer.span().data());
      std::fill(first, first + bytes, std::byte{0});
      EXPECT_TRUE(buffer.guards_intact());
      first[at] = std::byte{0};
      EXPECT_FALSE(buffer.guards_intact()) << count << " elements, a write at byte " << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Buffer, Misaligned, testing::Values(0, 1, 2, 3));

TEST(Buffer, GuardsFrontsLongerThanOneReadOfThem) {
  Buffer<double> buffer(host(), 1, 4000);
  EXPECT_TRUE(buffer.guards_intact());
  buffer.span().data()[-1] = 0;
  EXPECT_FALSE(buffer.guards_intact());
}

TEST(Buffer, IsPoisonedWithNaN) {
  Buffer<float> floats(host(), 3, 1);
  Buffer<double> doubles(host(), 3);
  Buffer<std::int32_t> integers(host(), 3);
  floats.fill(0);
  EXPECT_EQ(floats.read(2), 0.0f);
  floats.poison(), doubles.poison(), integers.poison();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(floats.read(i)));
    EXPECT_TRUE(std::isnan(doubles.read(i)));
    EXPECT_EQ(integers.read(i), -1);
  }
  EXPECT_TRUE(floats.guards_intact());
}

TEST(Buffer, HasNaNOnBothSidesToo) {
  const Buffer<float> buffer(host(), 8, 3);
  EXPECT_TRUE(std::isnan(buffer.span().data()[-1]));  // what reads too far gets a sum that is none
  EXPECT_TRUE(std::isnan(buffer.span().data()[8]));
}

TEST(Buffer, ReleasesItsMemoryOnce) {
  const auto device = fake::make_device();
  {
    Buffer<float> first(*device, 4), second(*device, 8);
    second.fill(0);
    first = std::move(second);
    EXPECT_EQ(device->allocations, 1);
    EXPECT_EQ(first.size(), 8u);
    EXPECT_EQ(first.read(7), 0.0f);
    const Buffer<float> third(std::move(first));
    EXPECT_EQ(device->allocations, 1);
    EXPECT_TRUE(third.guards_intact());
  }
  EXPECT_EQ(device->allocations, 0);
}

TEST(Buffer, RefusesWhatNoMemoryHolds) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t count : {most, most / 4, most / 4 - 1024})
    EXPECT_TRUE(refuses([&] { Buffer<float>(host(), count); }, "exceeds the address space")) << count;
  EXPECT_TRUE(refuses([&] { Buffer<float>(host(), most / 8); }, "memory"));
}

}  // namespace
}  // namespace crosswarp
