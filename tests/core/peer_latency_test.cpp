// Inputs, oracle and observations of peer_latency.
#include "experiments/peer_latency.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/host_ranks.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<PeerLatency>);

Point latency_point(std::string op, std::int64_t ranks = 3, std::int64_t steps = 64) {
  const std::int64_t bytes = op == "load" || op == "atomic" ? 4096 : 1 << 20;
  return product(PeerLatency::axes(), {{std::move(op)}, {bytes}, {ranks}, {steps}}).front();
}

struct PeerLatencyCase {
  explicit PeerLatencyCase(const Point& at) : device(group(PeerLatency::ranks(at))), problem(*device, at, 7, 2) {
    problem.refill(0);
    problem.poison();
    device->synchronize();
  }
  static std::unique_ptr<RankGroup> group(std::size_t count) {
    std::vector<std::shared_ptr<Device>> ranks;
    for (std::size_t rank = 0; rank < count; ++rank) ranks.push_back(std::make_shared<HostRank>());
    return std::make_unique<RankGroup>(std::move(ranks));
  }
  Verdict check() const { return problem.check(ResultIn::device); }

  /// `steps` of the steps of each set, by the caller.
  void take(std::uint32_t left_out = 0) const {
    for (std::size_t set = 0; set < 2; ++set) {
      const PeerLatency::Args args = problem.prepared().args(set, 0);
      std::uint64_t at = args.op == PeerLatency::Op::flag ? static_cast<std::uint32_t>(args.key) : args.first, sum = 0;
      for (std::uint32_t i = 1; i <= args.steps - left_out; ++i) {
        if (args.op == PeerLatency::Op::store)
          args.words[i - 1] = PeerLatency::value(args.key, i - 1);
        else if (args.op == PeerLatency::Op::flag)
          at = PeerLatency::reply(args.key, static_cast<std::uint32_t>(at));
        else
          std::memcpy(&at, args.chain.data() + at, sizeof at);
        if (i % PeerLatency::stretch == 0) sum += at;
      }
      const bool stores = args.op == PeerLatency::Op::store;
      args.out[0].end = stores ? 0 : at;
      args.out[0].checksum = stores ? 0 : sum;
      args.out[0].elapsed.nanoseconds = 100 * args.steps;
    }
  }

  std::unique_ptr<RankGroup> device;
  ProblemOf<PeerLatency> problem;
};

class PeerLatencyOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Ops, PeerLatencyOf, testing::Values("load", "store", "atomic", "flag"));

TEST_P(PeerLatencyOf, AllStepsAreNeeded) {
  PeerLatencyCase c(latency_point(GetParam()));
  EXPECT_FALSE(c.check().ok);
  c.take();
  EXPECT_TRUE(c.check().ok) << c.check().where;
  for (const std::uint32_t left_out : {1u, 16u, 64u}) {
    c.problem.poison();
    c.take(left_out);
    EXPECT_FALSE(c.check().ok) << left_out;
  }
}

TEST_P(PeerLatencyOf, ResultsOfAnotherGenerationAreWrong) {
  PeerLatencyCase c(latency_point(GetParam()));
  c.take();
  c.problem.refill(1);
  EXPECT_FALSE(c.check().ok);
}

TEST_P(PeerLatencyOf, HalfOfTheStepsAreRightWhereAskedFor) {
  PeerLatencyCase c(latency_point(GetParam()));
  c.problem.shorten(true);
  EXPECT_EQ(c.problem.prepared().args(0, 0).steps, 32u);
  c.take();
  EXPECT_TRUE(c.check().ok) << c.check().where;
  c.problem.shorten(false);
  EXPECT_FALSE(c.check().ok);
}

TEST_P(PeerLatencyOf, TellsNanosecondsOfAStep) {
  PeerLatencyCase c(latency_point(GetParam()));
  c.take();
  const std::vector<Observation> seen = c.problem.observe();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].name, "ns_per_access");
  EXPECT_EQ(seen[0].value, 100);
}

TEST(PeerLatency, TheLastRanksMemoryIsAccessed) {
  PeerLatencyCase c(latency_point("store"));
  EXPECT_EQ(c.problem.outputs(0, 0).size(), 1u);
  EXPECT_EQ(c.problem.outputs(0, 1).size(), 0u);
  ASSERT_EQ(c.problem.outputs(0, 2).size(), 1u);
  EXPECT_EQ(c.problem.outputs(0, 2)[0].size(), 64u * 8);
}

TEST(PeerLatency, ItsRateIsThatOfSteps) {
  const Cost cost = PeerLatency::cost(latency_point("flag", 2, 96));
  EXPECT_EQ(cost.amount(), 96);
  EXPECT_EQ(cost.left_out, 48);
}

}  // namespace
}  // namespace crosswarp
