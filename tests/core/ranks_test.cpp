// Groups of ranks, by those of the host: a thread each.
#include "core/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "core/host_ranks.hpp"
#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

/// A group of host ranks.
struct HostGroup {
  explicit HostGroup(std::size_t count) {
    for (std::size_t rank = 0; rank < count; ++rank) ranks.push_back(std::make_shared<HostRank>());
    group = std::make_unique<RankGroup>(std::vector<std::shared_ptr<Device>>(ranks.begin(), ranks.end()));
  }
  std::vector<std::shared_ptr<HostRank>> ranks;
  std::unique_ptr<RankGroup> group;
};

TEST(RankGroup, HasTwoToEightRanks) {
  const auto of = [](std::size_t count) {
    return RankGroup(std::vector<std::shared_ptr<Device>>(count, std::make_shared<HostRank>()));
  };
  EXPECT_THROW(of(0), Error);
  EXPECT_THROW(of(1), Error);
  EXPECT_THROW(of(most_ranks + 1), Error);
  EXPECT_EQ(of(most_ranks).ranks(), most_ranks);
}

TEST(RankGroup, AnOrdinaryDeviceIsOneRank) {
  const auto device = fake::make_device();
  EXPECT_EQ(device->ranks(), 1u);
  EXPECT_EQ(&device->rank(0), device.get());
}

TEST(RankGroup, DescribesAllRanks) {
  const HostGroup three(3);
  const DeviceInfo one = three.ranks[0]->info(), all = three.group->info();
  EXPECT_EQ(all.name, "3 × " + one.name);
  EXPECT_EQ(all.key, "host+host+host");
  EXPECT_EQ(all.memory, 3 * one.memory);
}

TEST(RankGroup, HasFactsAndARemark) {
  const auto one = std::make_shared<HostRank>(), other = std::make_shared<HostRank>();
  const RankGroup group({one, other}, {{"transport", "a wire"}}, "slow");
  EXPECT_EQ(group.info().versions.at("ranks"), "2");
  EXPECT_EQ(group.info().versions.at("transport"), "a wire");
  EXPECT_EQ(group.remark(), "slow");
}

TEST(RankGroup, MoreThreadsThanCoresAreSaid) {
  EXPECT_EQ(shared_cores(2, 2), "");
  EXPECT_EQ(shared_cores(3, 2), "3 ranks share 2 cores");
  EXPECT_EQ(shared_cores(3, 0), "") << "unknown";
}

/// Ranks of other processes are told to open, then all meet, then this process opens.
TEST(RankGroup, GatesOpenWhenAllHaveMet) {
  const auto one = std::make_shared<HostRank>(), other = std::make_shared<HostRank>();
  std::atomic<int> ran = 0;
  int met = 0, before = -1;
  RankGroup group({one, other}, {}, {}, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    before = ran;
    ++met;
  });
  const std::function<void(std::size_t)> launch = [&](std::size_t) { one->enqueue([&] { ++ran; }); };
  group.time({.launch = launch, .count = 2, .cold = false});
  EXPECT_EQ(met, 1);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(ran, 2);
}

TEST(RankGroup, MemoryIsOfARank) {
  const HostGroup two(2);
  Buffer<int> a(two.group->rank(0), 3), b(two.group->rank(1), 3);
  a.write(std::vector{1, 2, 3});
  b.fill(0);
  two.group->rank(1).copy(b.span().data(), a.span().data(), 2 * sizeof(int));
  EXPECT_EQ(b.read(), (std::vector{1, 2, 0}));
}

TEST(RankGroup, ItsTimeIsThatOfTheSlowestRank) {
  const HostGroup three(3);
  const std::function<void(std::size_t)> launch = [&](std::size_t) {
    three.ranks[1]->enqueue([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  };
  const double seconds = three.group->time({.launch = launch, .count = 2, .cold = false});
  const std::span<const double> by_rank = three.group->seconds_by_rank();
  EXPECT_GE(seconds, 0.04);
  ASSERT_EQ(by_rank.size(), 3u);
  EXPECT_EQ(by_rank[1], seconds);
  EXPECT_LT(by_rank[0], by_rank[1]);
  EXPECT_LT(by_rank[2], by_rank[1]);
}

TEST(RankGroup, NothingRunsBeforeAllGatesOpen) {
  const HostGroup two(2);
  std::atomic<int> ran = 0;
  int before = -1;
  const std::function<void(std::size_t)> launch = [&](std::size_t) {
    for (const auto& rank : two.ranks) rank->enqueue([&] { ++ran; });
  };
  two.group->time({.launch = launch, .count = 3, .cold = false, .while_closed = [&] {
                     std::this_thread::sleep_for(std::chrono::milliseconds(20));
                     before = ran;
                   }});
  EXPECT_EQ(before, 0);
  EXPECT_EQ(ran, 6);
}

/// A launch that waits, as one with ResultIn::host, would wait for a closed gate forever.
TEST(RankGroup, GatesOpenBeforeLaunchesThatWait) {
  const auto one = std::make_shared<HostRank>(), other = std::make_shared<HostRank>();
  int met = 0, met_before = 0;
  RankGroup group({one, other}, {}, {}, [&] { ++met; });
  const std::function<void(std::size_t)> launch = [&](std::size_t) {
    met_before = met;
    for (const auto& rank : {one, other}) {
      rank->enqueue([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
      rank->synchronize();
    }
  };
  for (const bool cold : {false, true}) {
    met = 0;
    EXPECT_GE(group.time({.launch = launch, .count = 2, .cold = cold, .gated = false}), 0.02);
    EXPECT_EQ(met, 1);
    EXPECT_EQ(met_before, 1);
    // The second rank may begin as late as its own first piece of work, behind the first rank's.
    EXPECT_GE(group.seconds_by_rank()[0], 0.02);
    EXPECT_GE(group.seconds_by_rank()[1], 0.015);
  }
}

TEST(RankGroup, ALaunchThatThrowsLeavesNoGateClosed) {
  const HostGroup two(2);
  std::atomic<bool> ran = false;
  const std::function<void(std::size_t)> launch = [&](std::size_t) {
    two.ranks[0]->enqueue([&] { ran = true; });
    throw Error("no");
  };
  EXPECT_THROW(two.group->time({.launch = launch, .cold = false}), Error);
  two.group->synchronize();
  EXPECT_TRUE(ran);
}

TEST(HostRank, RunsInOrderAndThrowsWhatItsWorkThrew) {
  HostRank rank;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) rank.enqueue([&order, i] { order.push_back(i); });
  rank.enqueue([] { throw Error("of the work"); });
  EXPECT_THROW(rank.synchronize(), Error);
  rank.synchronize();
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

}  // namespace
}  // namespace crosswarp
