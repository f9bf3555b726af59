// Memory of ranks in other processes: found by any address within, mapped once, the same bytes at another address. The
// host's is mapped here by the process that owns it.
#include "core/peer_memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/host_ranks.hpp"
#include "core/ranks.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

using Spans = std::vector<std::pair<std::size_t, std::span<std::byte>>>;

TEST(Allocations, AreFoundByAddressesWithin) {
  std::vector<std::byte> memory(64);
  Allocations<int> some;
  some.add(memory.data(), 16, 1);
  some.add(memory.data() + 32, 8, 2);
  EXPECT_EQ(some.around(memory.data())->facts, 1);
  EXPECT_EQ(some.around(memory.data() + 15)->facts, 1);
  EXPECT_EQ(some.around(memory.data() + 16), nullptr) << "the end is not within";
  EXPECT_EQ(some.around(memory.data() + 31), nullptr);
  EXPECT_EQ(some.around(memory.data() + 39)->facts, 2);
  EXPECT_EQ(some.around(memory.data() + 39)->base, memory.data() + 32);
  some.remove(memory.data());
  EXPECT_EQ(some.around(memory.data() + 15), nullptr);
  some.add(memory.data() + 32, 8, 3);
  EXPECT_EQ(some.around(memory.data() + 32)->facts, 3) << "released and taken again";
}

/// Two ranks, each as in a process of its own.
struct PeerMemoryOfHosts : testing::Test {
  const std::shared_ptr<HostRank> ranks[2] = {std::make_shared<HostRank>(true), std::make_shared<HostRank>(true)};
  RankGroup group{{ranks[0], ranks[1]}};
  Buffer<int> of[2] = {Buffer<int>(*ranks[0], 100), Buffer<int>(*ranks[1], 100)};
};

TEST_F(PeerMemoryOfHosts, IsTheSameAtAnotherAddress) {
  const auto theirs = of[1].span();
  const std::vector<RankMemory> shared = share(group, Spans{{0, of[0].bytes()}, {1, of[1].bytes()}});
  ASSERT_EQ(shared.size(), 2u);
  const PeerMemory seen(*ranks[0], 0, shared);
  const std::span<std::byte> here = seen.here(1, std::as_writable_bytes(theirs.subspan(7, 2)));
  EXPECT_NE(static_cast<void*>(here.data()), static_cast<void*>(&theirs[7]));
  EXPECT_EQ(here.size(), 2 * sizeof(int));
  theirs[7] = 1234;
  EXPECT_EQ(*reinterpret_cast<int*>(here.data()), 1234);
  reinterpret_cast<int*>(here.data())[1] = 5678;
  EXPECT_EQ(theirs[8], 5678);
  EXPECT_TRUE(of[1].guards_intact());
}

TEST_F(PeerMemoryOfHosts, LeavesTheOwnRankWhereItIs) {
  const PeerMemory seen(*ranks[0], 0, share(group, Spans{{0, of[0].bytes()}, {1, of[1].bytes()}}));
  EXPECT_EQ(seen.here(0, of[0].bytes()).data(), of[0].bytes().data());
}

TEST_F(PeerMemoryOfHosts, IsSharedOnceForAllSpansWithin) {
  const std::span<std::byte> all = of[1].bytes();
  EXPECT_EQ(share(group, Spans{{1, all}, {1, all.subspan(8)}, {1, all.first(0)}}).size(), 1u);
}

TEST_F(PeerMemoryOfHosts, IsRefusedWhereItWasNotShared) {
  const PeerMemory seen(*ranks[0], 0, share(group, Spans{{0, of[0].bytes()}}));
  EXPECT_TRUE(refuses([&] { seen.here(1, of[1].bytes()); }, "memory of rank 1 was not shared"));
  std::vector<std::byte> nobodys(8);
  EXPECT_TRUE(refuses([&] { share(group, Spans{{1, nobodys}}); }, "that this rank does not own"));
}

TEST_F(PeerMemoryOfHosts, IsRefusedWhenItIsGone) {
  Buffer<int> gone(*ranks[1], 10);
  const std::vector<RankMemory> shared = share(group, Spans{{1, gone.bytes()}});
  gone = {};
  EXPECT_TRUE(refuses([&] { PeerMemory(*ranks[0], 0, shared); }, "No such file"));
}

TEST(PeerMemory, OfThreadsIsNotSharedWithProcesses) {
  const auto rank = std::make_shared<HostRank>(), other = std::make_shared<HostRank>(true);
  EXPECT_FALSE(rank->shares_memory());
  EXPECT_FALSE(RankGroup({rank, other}).shares_memory()) << "all must";
  EXPECT_TRUE(RankGroup({std::make_shared<HostRank>(true), other}).shares_memory());
}

}  // namespace
}  // namespace crosswarp
