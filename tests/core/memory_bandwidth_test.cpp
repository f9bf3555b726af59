// Oracle of memory_bandwidth: right for exact results only.
#include "experiments/memory_bandwidth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/host_device.hpp"
#include "tests/core/sentences.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MemoryBandwidth>);

Point point(const char* level, const char* op, std::int64_t bytes, std::int64_t sweeps = 0) {
  return product(MemoryBandwidth::axes(), {{level}, {op}, {bytes}, {sweeps}, {"f32"}}).front();
}

/// Serial reference.
void solve(const MemoryBandwidth::Args& args) {
  std::uint32_t sum = 0;
  float dot = 0;
  for (std::size_t i = 0; i < std::max(args.a.size(), args.out.size()); ++i) switch (args.op) {
      case StreamOp::read:
        sum += std::bit_cast<std::uint32_t>(args.a[i]);
        break;
      case StreamOp::write:
        args.out[i] = args.scalar;
        break;
      case StreamOp::copy:
        args.out[i] = args.a[i];
        break;
      case StreamOp::scale:
        args.out[i] = args.scalar * args.a[i];
        break;
      case StreamOp::add:
        args.out[i] = args.a[i] + args.b[i];
        break;
      case StreamOp::triad:
        args.out[i] = std::fma(args.scalar, args.b[i], args.a[i]);
        break;
      case StreamOp::dot:
        dot = std::fma(args.a[i], args.b[i], dot);
        break;
    }
  args.sum[0] = sum * static_cast<std::uint32_t>(args.sweeps);
  args.dot[0] = dot;
}

struct Where {
  const char *level, *op;
  std::int64_t bytes, sweeps = 0;
};

class Bandwidth : public testing::TestWithParam<Where> {
 protected:
  Bandwidth()
      : problem(*open_host_device(), point(GetParam().level, GetParam().op, GetParam().bytes, GetParam().sweeps), 5,
                2) {
    problem.refill(0);
    problem.poison();
    for (const std::size_t set : {0, 1}) solve(problem.args(set));
  }
  Verdict check() const { return problem.check(ResultIn::device); }

  MemoryBandwidth problem;
};

TEST_P(Bandwidth, IsOkWhereItIsExact) {
  EXPECT_TRUE(check().ok) << check().where;
  EXPECT_EQ(check().error, 0);
}

TEST_P(Bandwidth, IsWrongWherePoisonIsLeft) {
  problem.poison();
  EXPECT_FALSE(check().ok);
}

TEST_P(Bandwidth, IsWrongByOneElementOfASecondSet) {
  const auto args = problem.args(1);
  if (args.op == StreamOp::read)
    args.sum[0] -= std::bit_cast<std::uint32_t>(args.a[args.a.size() / 2]);
  else if (args.op == StreamOp::dot)
    args.dot[0] -= args.a[0] * args.b[0];
  else
    args.out[args.out.size() - 1] = std::nextafter(args.out[args.out.size() - 1], 9.0f);
  EXPECT_FALSE(check().ok);
  EXPECT_NE(check().where.find("input 1"), std::string::npos) << check().where;
}

/// Operations whose result has distinct elements.
class BandwidthOfElements : public Bandwidth {};

TEST_P(BandwidthOfElements, IsWrongWhereTwoElementsAreExchanged) {
  const auto args = problem.args(0);
  std::size_t other = 1;
  while (args.out[other] == args.out[0]) ++other;
  std::swap(args.out[0], args.out[other]);
  EXPECT_FALSE(check().ok);
  EXPECT_NE(check().where.find("out of input 0[0]"), std::string::npos) << check().where;
}

std::string name_of(const testing::TestParamInfo<Where>& info) {
  return std::string(info.param.level) + "_" + info.param.op + "_" + std::to_string(info.param.bytes);
}

INSTANTIATE_TEST_SUITE_P(Sums, Bandwidth,
                         testing::Values(Where{"hbm", "read", 4036}, Where{"hbm", "write", 4036},
                                         Where{"hbm", "dot", 4036}, Where{"hbm", "dot", 4 * 300'007},
                                         Where{"l2", "read", 1008, 5}, Where{"shared", "read", 1008, 1}),
                         name_of);

const auto with_elements =
    testing::Values(Where{"hbm", "copy", 4036}, Where{"hbm", "scale", 4036}, Where{"hbm", "add", 4036},
                    Where{"hbm", "triad", 4036}, Where{"hbm", "copy", 4 * 300'007}, Where{"hbm", "triad", 4 * 300'007});
INSTANTIATE_TEST_SUITE_P(Elements, Bandwidth, with_elements, name_of);
INSTANTIATE_TEST_SUITE_P(Elements, BandwidthOfElements, with_elements, name_of);

TEST(MemoryBandwidth, ChecksBothDirectionsOfTheLink) {
  for (const char* op : {"h2d", "d2h"}) {
    MemoryBandwidth problem(*open_host_device(), point("link", op, 4012), 5, 2);
    problem.refill(0);
    problem.poison();
    EXPECT_FALSE(problem.check(ResultIn::device).ok);
    for (const std::size_t set : {0, 1}) solve(problem.args(set));
    EXPECT_TRUE(problem.check(ResultIn::device).ok) << problem.check(ResultIn::device).where;
    problem.args(1).out[1002] = 7;
    EXPECT_FALSE(problem.check(ResultIn::device).ok);
  }
}

TEST(MemoryBandwidth, IsWrongWhereAGuardWasWrittenTo) {
  MemoryBandwidth problem(*open_host_device(), point("hbm", "copy", 400), 5, 1);
  problem.refill(0);
  solve(problem.args(0));
  problem.args(0).out.data()[100] = 0;
  EXPECT_NE(problem.check(ResultIn::device).where.find("guard band"), std::string::npos);
}

TEST(MemoryBandwidth, ExistsForMeaningfulCombinations) {
  EXPECT_TRUE(MemoryBandwidth::exists(point("hbm", "triad", 4)));
  EXPECT_FALSE(MemoryBandwidth::exists(point("hbm", "triad", 6)));
  EXPECT_FALSE(MemoryBandwidth::exists(point("hbm", "h2d", 4)));
  EXPECT_TRUE(MemoryBandwidth::exists(point("link", "h2d", 4)));
  EXPECT_FALSE(MemoryBandwidth::exists(point("link", "read", 4)));
  EXPECT_FALSE(MemoryBandwidth::exists(point("l1", "copy", 1024)));
  EXPECT_FALSE(MemoryBandwidth::exists(point("l1", "write", 1024)));
  EXPECT_TRUE(MemoryBandwidth::exists(point("l2", "write", 1024)));
  EXPECT_FALSE(MemoryBandwidth::exists(point("l1", "read", 1 << 30)));
  EXPECT_FALSE(MemoryBandwidth::exists(point("hbm", "read", 1024, 2)));
  for (const TestPoint& test : MemoryBandwidth::test_points())
    EXPECT_TRUE(MemoryBandwidth::exists(test.point)) << test.point.name();
}

/// Else rows exceed them: fewer sweeps leave launch and first sweep a larger share.
TEST(MemoryBandwidth, MeasuresCeilingsByTheDefaultNumberOfSweeps) {
  for (const CeilingPoint& ceiling : MemoryBandwidth::ceilings()) {
    EXPECT_EQ(MemoryBandwidth::cost(ceiling.point).ceiling, ceiling.ceiling);
    EXPECT_EQ(ceiling.point.integer("sweeps"), 0) << ceiling.point.name();
  }
}

TEST(MemoryBandwidth, CountsWhatTheOpNeeds) {
  const Cost triad = MemoryBandwidth::cost(point("hbm", "triad", 1000));
  EXPECT_EQ(triad.bytes_read, 2000);
  EXPECT_EQ(triad.bytes_written, 1000);
  EXPECT_EQ(MemoryBandwidth::cost(point("l1", "read", 1024, 7)).bytes_read, 7 * 1024);
  EXPECT_EQ(MemoryBandwidth::cost(point("link", "d2h", 1000)).amount(), 1000);  // bytes cross the link once
  EXPECT_EQ(MemoryBandwidth::cost(point("l2", "read", 24 << 20)).bytes_read, 682.0 * (24 << 20));
  EXPECT_EQ(MemoryBandwidth::cost(point("l2", "write", 24 << 20)).bytes_written, 682.0 * (24 << 20));
}

TEST(MemoryBandwidth, FindsRatiosAndTheCurveOfBytesInFlight) {
  EXPECT_EQ(MemoryBandwidth::bytes_in_flight("cuda/memory_bandwidth/vector16@unroll4_per_unit2"), 64 * 1024);
  EXPECT_EQ(MemoryBandwidth::bytes_in_flight("cuda/memory_bandwidth/vector16@unroll4_per_unit64"), 128 * 1024);
  EXPECT_FALSE(MemoryBandwidth::bytes_in_flight("cuda/memory_bandwidth/vector16"));
  const Point at = point("hbm", "read", 1000);
  std::vector<Outcome> outcomes;
  for (const auto& [rung, seconds] : std::map<std::string, double>{{"x/vector16@unroll1_per_unit1", 4},
                                                                   {"x/vector16@unroll2_per_unit1", 2},
                                                                   {"x/vector16@unroll4_per_unit1", 1},
                                                                   {"x/cub", 2}})
    outcomes.push_back({rung, at, seconds, MemoryBandwidth::cost(at), {}});
  const std::vector<std::string> lines = sentences(MemoryBandwidth::findings(outcomes));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("200.0 % of x/cub"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("8 KiB 250 B/s, 16 KiB 500 B/s, 32 KiB 1.00 kB/s"), std::string::npos) << lines[1];
  EXPECT_TRUE(MemoryBandwidth::findings({}).empty());
}

}  // namespace
}  // namespace crosswarp
