// Oracle of reduce_sum: only the exact sum is right, and each kind of error is named.
#include "experiments/reduce_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <tuple>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<ReduceSum>);

Point point(std::int64_t n, std::int64_t offset = 0, const std::string& type = "f32", const std::string& op = "sum") {
  return product(ReduceSum::axes(), {{n}, {offset}, {type}, {op}}).front();
}

float sum(std::span<const float> in) {
  float sum = 0;
  for (const float x : in) sum += x;
  return sum;
}

/// A problem of two sets whose first result is right, for tests to spoil.
class SumOf : public testing::TestWithParam<std::int64_t> {
 protected:
  SumOf() : problem(*open_host_device(), point(GetParam(), 1), 5, 2) {
    problem.refill(0);
    problem.poison();
    for (const std::size_t set : {0, 1}) problem.args(set).f32().out[0] = sum(problem.args(set).f32().in);
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
  const auto in = problem.args(0).f32().in;
  float backwards = 0;
  for (std::size_t i = in.size(); i-- > 0;) backwards += in[i];
  problem.args(0).f32().out[0] = backwards;
  EXPECT_TRUE(check().ok);
}

TEST_P(SumOf, IsWrongWithoutAnyOneElementOrWithOneTwice) {
  const auto [in, out, host_out] = problem.args(0).f32();
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
  problem.args(1).f32().out[0] += 1;
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
    problem.args(0).f32().out[0] = value;
    EXPECT_FALSE(check().ok) << value;
  }
}

TEST_P(SumOf, IsWrongWhereAGuardWasWrittenTo) {
  const auto write = [](const float* at) { return const_cast<float*>(at); };
  const auto [in, out, host_out] = problem.args(1).f32();
  for (float* const at : {&out.data()[1], &out.data()[-1], write(in.data() - 1), write(in.data() + in.size())}) {
    *at = 0;
    EXPECT_FALSE(check().ok);
    EXPECT_NE(check().where.find("guard band"), std::string::npos);
    std::memset(at, 0xff, sizeof *at);
    EXPECT_TRUE(check().ok);
  }
}

TEST_P(SumOf, IsReadWhereTheVariantStoresIt) {
  EXPECT_FALSE(problem.check(ResultIn::host).ok);
  for (const std::size_t set : {0, 1}) *problem.args(set).f32().host_out = problem.args(set).f32().out[0];
  EXPECT_TRUE(problem.check(ResultIn::host).ok);
}

/// A right reduction of any type by one thread, except for the element `drop`.
void reduce(const ReduceSum::Args& args, std::size_t drop = ~std::size_t{0}) {
  std::visit(
      [&]<class T>(const ReduceSum::Typed<T>& a) {
        using R = ReduceSum::Result<T>;
        const auto value = [&](std::size_t i) {
          if constexpr (std::same_as<T, Half>)
            return to_float(a.in[i]);
          else
            return a.in[i];
        };
        R sum{}, least = std::numeric_limits<R>::max(), greatest = std::numeric_limits<R>::lowest();
        for (std::size_t i = 0; i < a.in.size(); ++i) {
          if (i == drop) continue;
          sum += value(i);
          least = std::min(least, value(i));
          greatest = std::max(greatest, value(i));
        }
        a.out[0] = args.operation == ReduceSum::Operation::sum   ? sum
                   : args.operation == ReduceSum::Operation::min ? least
                                                                 : greatest;
      },
      args.typed);
}

using Kind = std::tuple<std::string, std::string>;

class ReductionOf : public testing::TestWithParam<Kind> {
 protected:
  Point at(std::int64_t n) const { return point(n, 1, std::get<0>(GetParam()), std::get<1>(GetParam())); }
};

TEST_P(ReductionOf, IsExactInItsTypeAndWrongWithoutItsEnds) {
  for (const std::int64_t n : {2, 33, 1009, 65'537}) {
    ReduceSum problem(*open_host_device(), at(n), 7, 2);
    problem.refill(0);
    problem.poison();
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << n;
    for (const std::size_t set : {0, 1}) reduce(problem.args(set));
    const Verdict right = problem.check(ResultIn::device);
    EXPECT_TRUE(right.ok) << n << ": " << right.where;
    reduce(problem.args(0), static_cast<std::size_t>(n - 1));
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << "without the last of " << n;
    reduce(problem.args(0));
    reduce(problem.args(1), 0);
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << "without the first of " << n;
  }
}

TEST_P(ReductionOf, IsWrongWithAStrayZero) {
  if (std::get<1>(GetParam()) == "sum") GTEST_SKIP() << "zeros do not change a sum";
  ReduceSum problem(*open_host_device(), at(100), 7, 1);
  problem.refill(0);
  std::visit([](const auto& a) { a.out[0] = 0; }, problem.args(0).typed);
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
}

INSTANTIATE_TEST_SUITE_P(ReduceSum, ReductionOf,
                         testing::Combine(testing::Values("f32", "f64", "i32", "f16"),
                                          testing::Values("sum", "min", "max")),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

TEST(ReduceSum, HasNoMinimumOfNoElements) {
  EXPECT_TRUE(ReduceSum::exists(point(0)));
  EXPECT_FALSE(ReduceSum::exists(point(0, 0, "f32", "min")));
  EXPECT_TRUE(ReduceSum::exists(point(1, 0, "f32", "max")));
}

TEST(ReduceSum, CountsBytesByType) {
  EXPECT_EQ(ReduceSum::cost(point(1000, 0, "f64")).bytes_read, 8000);
  EXPECT_EQ(ReduceSum::cost(point(1000, 0, "f16")).bytes_read, 2000);
  EXPECT_EQ(ReduceSum::cost(point(1000, 0, "f16")).bytes_written, 4);
  EXPECT_EQ(ReduceSum::cost(point(1000, 0, "i32")).bytes_written, 4);
}

TEST(Half, ConvertsThereAndBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(half)))
      EXPECT_TRUE(std::isnan(to_float(to_half(to_float(half)))));
    else
      ASSERT_EQ(to_half(to_float(half)), half) << bits;
  }
  EXPECT_EQ(to_half(1.0f).bits, 0x3c00);
  EXPECT_EQ(to_half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(to_half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(to_half(1.0f + 0x1p-11f).bits, 0x3c00);  // a tie: to even
  EXPECT_EQ(to_half(1.0f + 0x1.8p-10f).bits, 0x3c02);
  EXPECT_EQ(to_half(0x1p-25f).bits, 0);
  EXPECT_EQ(to_half(0x1.8p-24f).bits, 2);
}

INSTANTIATE_TEST_SUITE_P(ReduceSum, SumOf, testing::Values(0, 1, 2, 33, 1009, 65'537));

TEST(ReduceSum, NamesTheWorstOfAllSets) {
  ReduceSum problem(*open_host_device(), point(100), 5, 3);
  problem.refill(0);
  for (const std::size_t set : {0, 1, 2})
    problem.args(set).f32().out[0] = sum(problem.args(set).f32().in) + (set == 1 ? 4.0f : 1.0f);
  EXPECT_EQ(problem.check(ResultIn::device).error, 4);
  problem.args(1).f32().out[0] = std::nanf("");  // worse than any number
  EXPECT_TRUE(std::isnan(problem.check(ResultIn::device).error)) << problem.check(ResultIn::device).where;
}

TEST(ReduceSum, DrawsOtherNumbersForOtherSetsAndSeeds) {
  ReduceSum a(*open_host_device(), point(1000), 1, 2), b(*open_host_device(), point(1000), 2, 1);
  a.refill(0);
  b.refill(0);
  const auto first = a.args(0).f32().in, second = a.args(1).f32().in, other_seed = b.args(0).f32().in;
  EXPECT_FALSE(std::equal(first.begin(), first.end(), second.begin()));
  EXPECT_FALSE(std::equal(first.begin(), first.end(), other_seed.begin()));
  EXPECT_EQ(std::count(first.begin(), first.end(), 0.0f), 0);
}

TEST(ReduceSum, IsAlignedAsThePointSays) {
  for (const std::int64_t offset : {0, 1, 2, 3}) {
    ReduceSum problem(*open_host_device(), point(33, offset), 1, 1);
    problem.refill(0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(problem.args(0).f32().in.data()) % 16,
              static_cast<std::size_t>(4 * offset));
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
