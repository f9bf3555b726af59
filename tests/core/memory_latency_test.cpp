// Oracle of memory_latency: right for the whole chase only. Levels and modes found in latency curves.
#include "experiments/memory_latency.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "core/host_device.hpp"
#include "experiments/latency_levels.hpp"
#include "tests/core/sentences.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MemoryLatency>);

Point point(const char* space, std::int64_t bytes, std::int64_t stride = 64, std::int64_t steps = 256,
            const char* order = "random") {
  return product(MemoryLatency::axes(), {{space}, {bytes}, {stride}, {steps}, {order}}).front();
}

/// A chase of `loads` loads, with the checksum of a correct kernel.
MemoryLatency::Chased chase(const MemoryLatency::Args& args, std::uint64_t loads, bool are_pointers) {
  const auto base = are_pointers ? std::bit_cast<std::uint64_t>(args.chain.data()) : 0;
  std::uint64_t at = args.first, sum = 0;
  for (std::uint64_t done = 1; done <= loads; ++done) {
    std::uint64_t next;
    std::memcpy(&next, args.chain.data() + at, sizeof next);
    at = next - base;
    if (done % MemoryLatency::stretch == 0) sum += at;
  }
  return {at, sum, {MemoryLatency::not_measured, MemoryLatency::not_measured}};
}

class ChaseIn : public testing::TestWithParam<const char*> {
 protected:
  bool are_pointers() const { return GetParam() == std::string("global") || GetParam() == std::string("past_l1"); }
  MemoryLatency problem{*open_host_device(), point(GetParam(), 1000), 3, 2};
  void SetUp() override {
    problem.refill(0);
    problem.poison();
    for (const std::size_t set : {0, 1}) problem.args(set).out[0] = chase(problem.args(set), 256, are_pointers());
  }
};

TEST_P(ChaseIn, IsRightAfterAllSteps) {
  const Verdict verdict = problem.check(ResultIn::device);
  EXPECT_TRUE(verdict.ok) << verdict.where;
  EXPECT_TRUE(problem.observe().empty());  // no clock
}

TEST(MemoryLatency, AscendsSlotBySlot) {
  MemoryLatency problem{*open_host_device(), point("global", 1000, 64, 256, "ascending"), 3, 1};
  problem.refill(0);
  problem.poison();
  const auto args = problem.args(0);
  const auto base = std::bit_cast<std::uint64_t>(args.chain.data());
  for (std::uint64_t slot = 0; slot < 15; ++slot) {
    std::uint64_t next;
    std::memcpy(&next, args.chain.data() + slot * 64, sizeof next);
    EXPECT_EQ(next - base, (slot + 1) % 15 * 64);
  }
  args.out[0] = chase(args, 256, true);
  EXPECT_TRUE(problem.check(ResultIn::device).ok);
}

TEST_P(ChaseIn, IsWrongAStepOrALapEarlyOrLate) {
  const auto args = problem.args(1);
  const std::uint64_t slots = args.chain.size() / args.stride;
  ASSERT_EQ(slots, 15u);
  for (const std::uint64_t loads : {std::uint64_t{0}, 256 % slots, 256 - slots, 255ul, 257ul, 256 + 64 * slots}) {
    args.out[0] = chase(args, loads, are_pointers());
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << loads;
  }
}

TEST_P(ChaseIn, IsWrongWhereNothingWasWrittenOrTooMuch) {
  problem.poison();
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
  SetUp();
  problem.args(0).out.data()[1].end = 0;
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
}

INSTANTIATE_TEST_SUITE_P(Spaces, ChaseIn, testing::Values("global", "past_l1", "shared", "constant", "dsmem"));

TEST(MemoryLatency, IsWrongForAKernelThatLoadsNothingHoweverManySlotsFit) {
  for (const std::int64_t fit : {3, 4, 8, 15, 16, 32, 61, 64, 100, 128, 192, 256}) {
    MemoryLatency problem(*open_host_device(), point("global", fit * 64), 3, 1);
    problem.refill(0);
    const auto args = problem.args(0);
    args.out[0] = {args.first, args.first * (args.steps / MemoryLatency::stretch), {}};
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << fit;
    args.out[0] = chase(args, args.steps, true);
    EXPECT_TRUE(problem.check(ResultIn::device).ok) << fit;
  }
}

TEST(MemoryLatency, TakesHalfTheStepsWhereItIsShortened) {
  EXPECT_EQ(MemoryLatency::cost(point("global", 1000)).left_out, 128);
  EXPECT_EQ(MemoryLatency::cost(point("global", 1000, 64, 64)).left_out, 0);
  MemoryLatency problem(*open_host_device(), point("global", 1000), 3, 1);
  problem.refill(0);
  for (const bool is_shorter : {true, false}) {
    problem.shorten(is_shorter);
    const auto args = problem.args(0);
    for (const std::uint32_t steps : {128u, 256u}) {
      args.out[0] = chase(args, steps, true);
      EXPECT_EQ(problem.check(ResultIn::device).ok, args.steps == steps);
    }
  }
}

TEST(MemoryLatency, WarmsAllSlotsThatCachesMayHoldAndOnlyTranslationsBeyond) {
  const auto warm_stride = [](std::int64_t bytes, std::int64_t stride) {
    return MemoryLatency(*open_host_device(), point("global", bytes, stride), 1, 1).args(0).warm_stride;
  };
  EXPECT_EQ(warm_stride(1 << 20, 64), 64u);
  EXPECT_EQ(warm_stride(1 << 20, 1 << 18), 1u << 18);
  const auto beyond = static_cast<std::int64_t>(2 * open_host_device()->info().cache + (65 << 20));
  if (beyond < 256 << 20) {
    EXPECT_EQ(warm_stride(beyond, 96), 65568u);  // the next multiple of 96 behind 64 KiB
  }
}

TEST(MemoryLatency, ExistsWhereTheChainFits) {
  EXPECT_TRUE(MemoryLatency::exists(point("global", std::int64_t{8} << 30)));
  EXPECT_FALSE(MemoryLatency::exists(point("shared", 64 << 10)));
  EXPECT_FALSE(MemoryLatency::exists(point("dsmem", 64 << 10)));
  EXPECT_TRUE(MemoryLatency::exists(point("constant", 64 << 10)));
  EXPECT_FALSE(MemoryLatency::exists(point("constant", (64 << 10) + 8)));
  EXPECT_FALSE(MemoryLatency::exists(point("past_l1", 2 << 20)));
  EXPECT_FALSE(MemoryLatency::exists(point("global", 32)));
  EXPECT_FALSE(MemoryLatency::exists(point("global", 1024, 12)));
  EXPECT_FALSE(MemoryLatency::exists(point("global", 1024, 64, 100)));
  for (const TestPoint& test : MemoryLatency::test_points()) {
    if (test.point.word("space") == "global") {
      EXPECT_TRUE(MemoryLatency::exists(test.point)) << test.point.name();
    }
  }
}

TEST(MemoryLatency, ObservesWhatWasMeasured) {
  MemoryLatency problem(*open_host_device(), point("global", 4096), 3, 1);
  problem.refill(0);
  problem.poison();
  const auto args = problem.args(0);
  args.out[0] = {0, 0, {2560, 1280}};
  for (std::size_t i = 0; i < args.each.size(); ++i) args.each[i] = i % 4 ? 200 : 300;
  std::map<std::string, double> seen;
  for (const Observation& o : problem.observe()) seen[o.name] = o.value;
  EXPECT_EQ(seen, (std::map<std::string, double>{{"cycles_per_load", 10},
                                                 {"ns_per_load", 5},
                                                 {"near", 200},
                                                 {"far", 300},
                                                 {"near_share", seen["near_share"]}}));
  EXPECT_NEAR(seen["near_share"], 75, 1);
}

/// A number in (-1, 1), the same for the same i.
double noise(std::uint64_t i) {
  return 2 * static_cast<double>(mix(i + 1) >> 11) / static_cast<double>(1ull << 53) - 1;
}

/// Mean latency of a chase over `bytes`: caches of 256 KiB and 32 MiB take 30 and 250, memory 700. The larger the
/// chain, the smaller the share of slots that a cache holds.
double latency(double bytes, double least_first = 30) {
  const double in_first = std::min(1.0, std::pow(256.0 * 1024 / bytes, 3)),
               in_second = std::min(1.0, std::pow(32.0 * (1 << 20) / bytes, 2));
  return in_first * least_first + (1 - in_first) * (in_second * 250 + (1 - in_second) * 700);
}

std::vector<LatencyAt> curve(double relative_noise, std::uint64_t seed) {
  std::vector<LatencyAt> points;
  for (double octave = 12; octave <= 33; octave += 0.25) {
    const double bytes = std::exp2(octave);
    points.push_back({bytes, latency(bytes) * (1 + relative_noise * noise(seed * 1000 + points.size()))});
  }
  return points;
}

TEST(FindLevels, FindsPlateausAndEdgesOfACleanCurve) {
  const auto points = curve(0, 0);
  const auto levels = find_levels(points);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_NEAR(levels[0].latency, 30, 0.01);
  EXPECT_NEAR(levels[1].latency, 250, 5);
  EXPECT_NEAR(levels[2].latency, 700, 14);
  EXPECT_EQ(points[levels[0].last].bytes, 256 << 10);
  EXPECT_EQ(points[levels[1].last].bytes, 32 << 20);
  EXPECT_EQ(levels[2].last + 1, points.size());
}

TEST(FindLevels, FindsPlateausAndEdgesUnderNoise) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const bool loud = seed % 2 == 0;  // noise just below the tolerance of a level
    const double edge_within = loud ? 0.5 : 0.25;
    const auto points = curve(loud ? 0.018 : 0.01, seed);
    const auto levels = find_levels(points);
    ASSERT_EQ(levels.size(), 3u) << seed;
    EXPECT_NEAR(levels[0].latency, 30, 30 * 0.02);
    EXPECT_NEAR(levels[1].latency, 250, 250 * 0.03);
    EXPECT_NEAR(levels[2].latency, 700, 700 * 0.03);
    EXPECT_NEAR(std::log2(points[levels[0].last].bytes), 18, edge_within);
    EXPECT_NEAR(std::log2(points[levels[1].last].bytes), 25, edge_within);
  }
}

TEST(FindLevels, IgnoresAStrayPoint) {
  auto points = curve(0, 0);
  points[8].latency *= 1.3;
  EXPECT_EQ(find_levels(points).size(), 3u);
}

TEST(FindLevels, IgnoresTheFlatEndOfASlope) {
  std::vector<LatencyAt> points;
  for (const double latency : {30, 30, 30, 30, 120, 240, 246, 249, 260, 262, 262, 262, 262})
    points.push_back({std::exp2(static_cast<double>(points.size()) / 2), latency});
  const auto levels = find_levels(points);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[1].latency, 262);
}

TEST(FindLevels, FindsNothingWithoutAPlateau) {
  EXPECT_TRUE(find_levels({}).empty());
  EXPECT_TRUE(find_levels({{1024, 30}, {2048, 30}}).empty());
  std::vector<LatencyAt> slope;
  for (int i = 0; i < 40; ++i) slope.push_back({std::exp2(i / 2.0), std::pow(1.05, i)});
  EXPECT_TRUE(find_levels(slope).empty());
  EXPECT_TRUE(find_levels({{1000, 30}, {1050, 30}, {1100, 30}}).empty());  // too short a range
}

TEST(TwoModes, SeparatesTwoGroupsDespiteOutliers) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 1000; ++i) values.push_back((i % 10 < 6 ? 260 : 420) + 12 * noise(i));
  for (const std::size_t outlier : {3, 500, 999}) values[outlier] = 90'000;
  const TwoModes modes = two_modes(values);
  EXPECT_NEAR(modes.near, 260, 3);
  EXPECT_NEAR(modes.far, 420, 3);
  EXPECT_NEAR(modes.near_share, 0.6, 0.02);
}

TEST(TwoModes, AreCloseToEachOtherForASingleMode) {
  const TwoModes same = two_modes({7, 7, 7});
  EXPECT_EQ(same.near, 7);
  EXPECT_EQ(same.far, 7);
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 1000; ++i) values.push_back(260 + 8 * noise(i));
  const TwoModes modes = two_modes(values);
  EXPECT_LT(modes.far, 1.05 * modes.near);
}

Outcome outcome(const char* rung, double bytes, std::map<std::string, double> observed) {
  const Point at = point("global", static_cast<std::int64_t>(bytes));
  return {rung, at, latency(bytes) * 256e-9, MemoryLatency::cost(at), std::move(observed)};
}

TEST(MemoryLatencyFindings, SayTheLevelsOfEachRungInItsUnit) {
  std::vector<Outcome> outcomes;
  for (const auto& [bytes, ignored] : curve(0, 0)) {
    outcomes.push_back(
        outcome("chase", bytes, {{"cycles_per_load", latency(bytes)}, {"ns_per_load", latency(bytes) / 2}}));
    outcomes.push_back(outcome("reference", bytes, {{"ns_per_load", latency(bytes)}}));
    outcomes.push_back(outcome("team", bytes, {}));
  }
  const auto lines = sentences(MemoryLatency::findings(outcomes));
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(
      lines[0],
      "chase, global, slots of 64 B: level 1: 30.0 cycles (15.0 ns) per load, 4 KiB to 256 KiB, ends before 304.4 KiB");
  EXPECT_EQ(lines[3],
            "reference, global, slots of 64 B: level 1: 30.00 ns per load, 4 KiB to 256 KiB, ends before 304.4 KiB");
  EXPECT_NE(lines[5].find(" and up"), std::string::npos);
  EXPECT_NE(lines[6].find("team, global, slots of 64 B: level 1: 30.00 ns per load by the launch's time"),
            std::string::npos);
}

TEST(MemoryLatencyFindings, SayWhereLoadsHaveTwoModes) {
  const auto lines = sentences(
      MemoryLatency::findings({outcome("each", 1 << 20, {{"near", 200}, {"far", 205}, {"near_share", 50}}),
                               outcome("each", 40 << 20, {{"near", 262}, {"far", 420}, {"near_share", 51.2}}),
                               outcome("each", 44 << 20, {{"near", 262}, {"far", 420}, {"near_share", 97}})}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(
      lines[0],
      "each, global, slots of 64 B: two modes at 40 MiB: 51 % of the loads take 262 cycles (median), the others 420");
}

}  // namespace
}  // namespace crosswarp
