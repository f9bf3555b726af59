// The divergence's oracle accepts only every item's own path with all of its steps; its findings.
#include "experiments/warp_divergence.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<WarpDivergence>);

Point point(std::int64_t n, std::int64_t factor, std::int64_t work) {
  return product(WarpDivergence::axes(), {{n}, {factor}, {work}}).front();
}

void solve(const WarpDivergence& problem, std::size_t set) {
  const auto args = problem.args(set);
  for (std::size_t i = 0; i < args.in.size(); ++i)
    args.out[i] = divergent::switch_path<4>(static_cast<unsigned>(i % args.factor), args.in[i], args.work);
}

TEST(WarpDivergence, IsOkWhereEveryItemRanItsPath) {
  for (const std::int64_t factor : {1, 3, 31, 32}) {
    WarpDivergence problem(*open_host_device(), point(1009, factor, 256), 7, 2);
    problem.refill(0);
    problem.poison();
    solve(problem, 0);
    EXPECT_FALSE(problem.check(ResultIn::device).ok);  // the second set is still poison
    solve(problem, 1);
    EXPECT_TRUE(problem.check(ResultIn::device).ok) << problem.check(ResultIn::device).where;
  }
}

TEST(WarpDivergence, IsWrongForAStepMoreOrLessAndForAnotherPath) {
  WarpDivergence problem(*open_host_device(), point(100, 4, 128), 7, 1);
  problem.refill(0);
  const auto args = problem.args(0);
  for (const auto& [path, steps] : {std::pair(1u, 127u), {1u, 129u}, {0u, 128u}, {2u, 128u}}) {
    solve(problem, 0);
    ASSERT_TRUE(problem.check(ResultIn::device).ok);
    args.out[97] = divergent::switch_path<1>(path, args.in[97], steps);  // path 1, 128 steps
    const Verdict verdict = problem.check(ResultIn::device);
    EXPECT_FALSE(verdict.ok) << path << " " << steps;
    EXPECT_NE(verdict.where.find("out[97] of input 0"), std::string::npos) << verdict.where;
  }
}

TEST(WarpDivergence, HasCoefficientsOfItsOwnForEachPath) {
  std::set<std::uint32_t> quadratics, constants, ends;
  for (unsigned path = 0; path < divergent::paths; ++path) {
    quadratics.insert(divergent::quadratic(path));
    constants.insert(divergent::constant(path));
    ends.insert(divergent::switch_path<4>(path, 1, 128));
    EXPECT_EQ(divergent::quadratic(path) % 2, 0u) << path;  // else two inputs may end alike
  }
  EXPECT_EQ(quadratics.size(), divergent::paths);
  EXPECT_EQ(constants.size(), divergent::paths);
  EXPECT_EQ(ends.size(), divergent::paths);
}

TEST(WarpDivergence, ExistsWhereTheWorkIsWholeLoops) {
  EXPECT_TRUE(WarpDivergence::exists(point(10, 1, 0)));
  EXPECT_TRUE(WarpDivergence::exists(point(10, 1, 1024)));
  EXPECT_FALSE(WarpDivergence::exists(point(10, 1, 100)));
}

TEST(WarpDivergence, FindsSlopeAndExcess) {
  std::vector<Outcome> outcomes;
  for (const std::int64_t factor : {1, 2, 4, 32}) {
    outcomes.push_back({"cuda/warp_divergence/a", point(10, factor, 128), 1e-3 * static_cast<double>(factor), {}, {}});
    outcomes.push_back({"cuda/warp_divergence/b", point(10, factor, 128), 2e-3, {}, {}});
  }
  outcomes[6].seconds *= 1.25;
  const std::vector<Finding> findings = WarpDivergence::findings(outcomes);
  ASSERT_EQ(findings.size(), 2u);
  const std::string diverging = to_string(findings[0]), converged = to_string(findings[1]);
  EXPECT_NE(diverging.find("32: 40.00 (+25.0 %)"), std::string::npos) << diverging;
  EXPECT_NE(diverging.find("2: 2.00 (+0.0 %)"), std::string::npos) << diverging;
  EXPECT_EQ(findings[1].number("per_path"), 0);
  EXPECT_NE(converged.find("takes 0.000 of the time of one"), std::string::npos) << converged;
  EXPECT_NE(converged.find("32: 1.00"), std::string::npos) << converged;
  outcomes.erase(outcomes.begin(), outcomes.begin() + 2);  // nothing to compare with
  EXPECT_TRUE(WarpDivergence::findings(outcomes).empty());
}

}  // namespace
}  // namespace crosswarp
