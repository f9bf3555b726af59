// The access patterns' orders are bijections, and the oracle accepts only elements in their right positions.
#include "experiments/access_pattern.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<AccessPattern>);

Point point(const char* pattern, std::int64_t stride, std::int64_t offset, const char* op, std::int64_t n) {
  return product(AccessPattern::axes(), {{pattern}, {stride}, {offset}, {op}, {n}, {"f32"}}).front();
}

TEST(AccessOrder, MeetsEveryElementOnce) {
  for (const std::uint32_t n : {0u, 1u, 2u, 7u, 64u, 1009u})
    for (const std::uint32_t stride : {1u, 2u, 3u, 8u, 64u, 2000u})
      for (const std::uint32_t offset : {0u, 1u, 40u}) {
        const AccessOrder order(n, stride, offset);
        std::set<std::uint32_t> met;
        for (std::uint32_t i = 0; i < n; ++i) met.insert(order(i));
        EXPECT_EQ(met.size(), n) << stride << " " << offset;
        EXPECT_TRUE(n == 0 || *met.rbegin() == n - 1);
      }
}

TEST(AccessOrder, PutsNeighboursAStrideApart) {
  const AccessOrder order(1000, 8, 0);
  for (std::uint32_t i = 0; i < 124; ++i) EXPECT_EQ(order(i + 1) - order(i), 8u);
}

struct Where {
  const char* pattern;
  std::int64_t stride, offset, n;
};

class Patterns : public testing::TestWithParam<std::tuple<Where, const char*>> {
 protected:
  Patterns() : problem(*open_host_device(), at(), 5, 2) {
    problem.refill(0);
    problem.poison();
    for (const std::size_t set : {0, 1}) {
      const auto args = problem.args(set);
      for (std::uint32_t i = 0; i < args.order.n; ++i) {
        const std::uint32_t p = args.index.empty() ? args.order(i) : args.index[i];
        args.out[args.op == AccessOp::gather ? i : p] = args.in[args.op == AccessOp::scatter ? i : p];
      }
    }
  }
  static Point at() {
    const auto& [where, op] = GetParam();
    return point(where.pattern, where.stride, where.offset, op, where.n);
  }
  Verdict check() const { return problem.check(ResultIn::device); }

  AccessPattern problem;
};

TEST_P(Patterns, AreOkWhereEveryElementIsInPosition) { EXPECT_TRUE(check().ok) << check().where; }

TEST_P(Patterns, AreWrongWhereTwoElementsAreExchangedOrOneIsPoison) {
  const auto args = problem.args(1);
  std::swap(args.out[0], args.out[args.out.size() - 1]);
  EXPECT_FALSE(check().ok);
  EXPECT_NE(check().where.find("out of input 1[0]"), std::string::npos) << check().where;
  std::swap(args.out[0], args.out[args.out.size() - 1]);
  std::memset(&args.out[5], 0xff, sizeof(float));
  EXPECT_FALSE(check().ok);
}

INSTANTIATE_TEST_SUITE_P(All, Patterns,
                         testing::Combine(testing::Values(Where{"coalesced", 1, 0, 1009}, Where{"strided", 8, 0, 1009},
                                                          Where{"strided", 3, 0, 300'007}, Where{"offset", 1, 3, 1009},
                                                          Where{"random", 1, 0, 1009}, Where{"random", 1, 0, 300'007}),
                                          testing::Values("gather", "scatter", "copy")),
                         [](const auto& info) {
                           const Where& where = std::get<0>(info.param);
                           return std::string(where.pattern) + "_" + std::to_string(where.n) + "_" +
                                  std::get<1>(info.param);
                         });

TEST(AccessPattern, KnowsWhatMakesSense) {
  EXPECT_FALSE(AccessPattern::exists(point("coalesced", 2, 0, "copy", 8)));
  EXPECT_FALSE(AccessPattern::exists(point("strided", 1, 0, "copy", 8)));
  EXPECT_FALSE(AccessPattern::exists(point("offset", 1, 0, "copy", 8)));
  EXPECT_FALSE(AccessPattern::exists(point("random", 1, 1, "copy", 8)));
  for (const TestPoint& test : AccessPattern::test_points())
    EXPECT_TRUE(AccessPattern::exists(test.point)) << test.point.name();
}

TEST(AccessPattern, CountsTheIndicesOfARandomOrder) {
  EXPECT_EQ(AccessPattern::cost(point("strided", 8, 0, "copy", 100)).amount(), 800);
  EXPECT_EQ(AccessPattern::cost(point("random", 1, 0, "copy", 100)).amount(), 1200);
}

TEST(AccessPattern, ModelsSectors) {
  EXPECT_EQ(AccessPattern::sector_model(point("coalesced", 1, 0, "copy", 100)), 1);
  EXPECT_EQ(AccessPattern::sector_model(point("strided", 4, 0, "copy", 100)), 4);
  EXPECT_EQ(AccessPattern::sector_model(point("strided", 64, 0, "copy", 100)), 8);
  EXPECT_EQ(AccessPattern::sector_model(point("strided", 64, 0, "gather", 100)), 4.5);
  EXPECT_EQ(AccessPattern::sector_model(point("random", 1, 0, "copy", 100)), 8.5);
}

TEST(AccessPattern, FindsTheKnee) {
  std::vector<Outcome> outcomes;
  for (const auto& [stride, seconds] : std::map<std::int64_t, double>{{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 9}}) {
    const Point p = point(stride == 1 ? "coalesced" : "strided", stride, 0, "copy", 100);
    outcomes.push_back({"x", p, seconds, AccessPattern::cost(p), {}});
  }
  const std::vector<Finding> findings = AccessPattern::findings(outcomes);
  ASSERT_EQ(findings.size(), 5u);
  EXPECT_EQ(findings[0].number("slowdown"), 2);
  EXPECT_EQ(findings[0].number("sectors"), 2);
  EXPECT_NE(to_string(findings[0]).find("with stride 2 takes 2"), std::string::npos) << to_string(findings[0]);
  EXPECT_EQ(findings[4].number("stride"), 8);
  EXPECT_NE(to_string(findings[4]).find("knee is at stride 8, 32 bytes apart"), std::string::npos);
}

}  // namespace
}  // namespace crosswarp
