// The sum's oracle: right only for the exact sum, and every way of being wrong has a name.
#include "experiments/reduce_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<ReduceSum>);

Point point(std::int64_t n, std::int64_t offset = 0) {
  return product(ReduceSum::axes(), {{n}, {offset}, {"f32"}}).front();
}

float sum(std::span<const float> in) {
  float sum = 0;
  for (const float x : in) sum += x;
  return sum;
}

/// A problem of two sets whose first result is right, to be spoilt from there.
class SumOf : public testing::TestWithParam<std::int64_t> {
 protected:
  SumOf() : problem(*open_host_device(), point(GetParam(), 1), 5, 2) {
    problem.poison();
    for (const std::size_t set : {0, 1}) problem.args(set).out[0] = sum(problem.args(set).in);
  }
  Verdict check() const { return problem.check(ResultIn::device); }

  ReduceSum problem;
};

TEST_P(SumOf, IsOkWhereItIsExact) {
  const Verdict verdict = check();
  EXPECT_TRUE(verdict.ok) << verdict.where;
  EXPECT_EQ(verdict.error, 0);
  EXPECT_EQ(verdict.bound, 0);
  EXPECT_EQ(verdict.where, "");
}

TEST_P(SumOf, IsOkFromTheBackToo) {
  const auto in = problem.args(0).in;
  float backwards = 0;
  for (std::size_t i = in.size(); i-- > 0;) backwards += in[i];
  problem.args(0).out[0] = backwards;
  EXPECT_TRUE(check().ok);
}

TEST_P(SumOf, IsWrongWithoutAnyOneElementOrWithOneTwice) {
  const auto [in, out, host_out] = problem.args(0);
  const float right = out[0];
  for (const std::size_t i : std::set<std::size_t>{0, in.size() / 2, in.size() - 1}) {
    if (in.empty()) continue;
    for (const float spoilt : {right - in[i], right + in[i]}) {
      out[0] = spoilt;
      const Verdict verdict = check();
      EXPECT_FALSE(verdict.ok) << "element " << i;
      EXPECT_EQ(verdict.error, std::abs(in[i]));
      EXPECT_NE(verdict.where.find("sum of input 0 is "), std::string::npos) << verdict.where;
    }
  }
}

TEST_P(SumOf, IsWrongInASecondSetToo) {
  problem.args(1).out[0] += 1;
  EXPECT_FALSE(check().ok);
  EXPECT_NE(check().where.find("input 1"), std::string::npos);
}

TEST_P(SumOf, IsWrongWherePoisonIsLeft) {
  problem.poison();
  EXPECT_FALSE(check().ok);
  EXPECT_FALSE(problem.check(ResultIn::host).ok);
}

TEST_P(SumOf, IsWrongWhereItIsNaNOrInfinite) {
  for (const float value : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
    problem.args(0).out[0] = value;
    EXPECT_FALSE(check().ok) << value;
  }
}

TEST_P(SumOf, IsWrongWhereAGuardWasWrittenTo) {
  const auto write = [](const float* at) { return const_cast<float*>(at); };
  const auto [in, out, host_out] = problem.args(1);
  for (float* const at : {&out.data()[1], &out.data()[-1], write(in.data() - 1), write(in.data() + in.size())}) {
    *at = 0;
    EXPECT_FALSE(check().ok);
    EXPECT_NE(check().where.find("guard band"), std::string::npos);
    std::memset(at, 0xff, sizeof *at);
    EXPECT_TRUE(check().ok);
  }
}

TEST_P(SumOf, IsLookedForWhereTheVariantLeavesIt) {
  EXPECT_FALSE(problem.check(ResultIn::host).ok);
  for (const std::size_t set : {0, 1}) *problem.args(set).host_out = problem.args(set).out[0];
  EXPECT_TRUE(problem.check(ResultIn::host).ok);
}

INSTANTIATE_TEST_SUITE_P(ReduceSum, SumOf, testing::Values(0, 1, 2, 33, 1009, 65'537));

TEST(ReduceSum, NamesTheWorstOfAllSets) {
  ReduceSum problem(*open_host_device(), point(100), 5, 3);
  for (const std::size_t set : {0, 1, 2})
    problem.args(set).out[0] = sum(problem.args(set).in) + (set == 1 ? 4.0f : 1.0f);
  EXPECT_EQ(problem.check(ResultIn::device).error, 4);
  problem.args(1).out[0] = std::nanf("");  // worse than any number
  EXPECT_TRUE(std::isnan(problem.check(ResultIn::device).error)) << problem.check(ResultIn::device).where;
}

TEST(ReduceSum, DrawsOtherNumbersForOtherSetsAndSeeds) {
  const ReduceSum a(*open_host_device(), point(1000), 1, 2), b(*open_host_device(), point(1000), 2, 1);
  const auto first = a.args(0).in, second = a.args(1).in, other_seed = b.args(0).in;
  EXPECT_FALSE(std::equal(first.begin(), first.end(), second.begin()));
  EXPECT_FALSE(std::equal(first.begin(), first.end(), other_seed.begin()));
  EXPECT_EQ(std::count(first.begin(), first.end(), 0.0f), 0);
}

TEST(ReduceSum, IsAlignedAsThePointSays) {
  for (const std::int64_t offset : {0, 1, 2, 3}) {
    const ReduceSum problem(*open_host_device(), point(33, offset), 1, 1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(problem.args(0).in.data()) % 16, static_cast<std::size_t>(4 * offset));
  }
}

TEST(ReduceSum, IsTestedAroundEverySizeThatMatters) {
  std::set<std::int64_t> fast, slow, misaligned;
  for (const TestPoint& test : ReduceSum::test_points()) {
    (test.slow ? slow : fast).insert(test.point.integer("n"));
    if (test.point.integer("offset") % 4) misaligned.insert(test.point.integer("offset") % 4);
  }
  for (const std::int64_t n : {0, 1, 31, 32, 33, 1009, 1023, 1024, 1025, (1 << 20) - 1, 1 << 20, (1 << 20) + 1})
    EXPECT_TRUE(fast.contains(n)) << n;
  EXPECT_EQ(misaligned, (std::set<std::int64_t>{1, 2, 3}));
  EXPECT_GT(*slow.rbegin(), std::int64_t{1} << 31);
  EXPECT_LT(*fast.rbegin(), std::int64_t{1} << 28);  // a quick test stays quick
}

TEST(ReduceSum, HasBenchPointsThatItsOwnAxesAllow) {
  for (const Axis& axis : ReduceSum::axes()) {
    EXPECT_FALSE(axis.bench.empty()) << axis.name;
    for (const Value& value : axis.bench) EXPECT_EQ(parse_value(axis, to_string(value)), value);
  }
}

TEST(ReduceSum, CostsOnePass) {
  const Cost cost = ReduceSum::cost(point(1 << 20));
  EXPECT_EQ(cost.bytes_read, 4 << 20);
  EXPECT_EQ(cost.bytes_written, 4);
  EXPECT_EQ(cost.flops, (1 << 20) - 1);
  EXPECT_EQ(ReduceSum::cost(point(0)).flops, 0);
  EXPECT_GE(ReduceSum::footprint(point(1 << 20, 3)), (4u << 20) + 16);
  EXPECT_GT(ReduceSum::footprint(point(std::int64_t{1} << 38)), std::size_t{1} << 40);
}

}  // namespace
}  // namespace crosswarp
