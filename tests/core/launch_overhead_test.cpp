// Oracle and findings of launch_overhead: only the exact count of launches is right.
#include "experiments/launch_overhead.hpp"

#include <gtest/gtest.h>

#include "core/host_device.hpp"
#include "tests/core/sentences.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<LaunchOverhead>);

Point mode_point(const char* mode, std::int64_t launches) {
  return product(LaunchOverhead::axes(), {{mode}, {launches}}).front();
}

TEST(LaunchOverhead, IsRightForTheRightCountOnEverySet) {
  LaunchOverhead problem(*open_host_device(), mode_point("stream", 40), 1, 2);
  problem.poison();
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
  problem.args(0).count[0] = 40;
  EXPECT_FALSE(problem.check(ResultIn::host).ok);
  problem.args(1).count[0] = 40;
  EXPECT_TRUE(problem.check(ResultIn::device).ok);
  for (const std::uint64_t wrong : {0, 1, 39, 41, 80}) {
    problem.args(1).count[0] = wrong;
    const Verdict verdict = problem.check(ResultIn::device);
    EXPECT_FALSE(verdict.ok);
    EXPECT_EQ(verdict.where, "counter 1 is " + std::to_string(wrong) + ", should be 40");
  }
}

TEST(LaunchOverhead, AGraphNeedsTwoLaunches) {
  EXPECT_FALSE(LaunchOverhead::exists(mode_point("graph", 1)));
  EXPECT_TRUE(LaunchOverhead::exists(mode_point("graph", 2)));
  EXPECT_TRUE(LaunchOverhead::exists(mode_point("stream", 1)));
}

TEST(LaunchOverheadFindings, SayTheTimePerLaunchAndItsMarginalAndFixedParts) {
  const auto outcome = [](const char* rung, const char* mode, std::int64_t launches, double seconds) {
    const Point at = mode_point(mode, launches);
    return Outcome{rung, at, seconds, LaunchOverhead::cost(at), {}};
  };
  const auto lines = sentences(
      LaunchOverhead::findings({outcome("graph", "graph", 1000, 1010e-6), outcome("graph", "graph", 40, 50e-6),
                                outcome("stream_gated", "stream", 40, 60e-6)}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "graph, graph: 1.01 µs per launch (1000 at a time); marginal 1.00 µs, fixed 10.0 µs");
  EXPECT_EQ(lines[1], "stream, stream_gated: 1.50 µs per launch (40 at a time)");
}

}  // namespace
}  // namespace crosswarp
