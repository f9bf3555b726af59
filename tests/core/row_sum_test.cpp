// Oracle and findings of row_sum: a result is right only where every row is.
#include "experiments/row_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<RowSum>);

/// The right sums, from the front or from the back.
void sum_rows(const RowSum::Args& args, bool backwards = false) {
  for (std::size_t row = 0; row < args.rows(); ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < args.columns; ++i)
      sum += args.in[row * args.columns + (backwards ? args.columns - 1 - i : i)];
    args.out[row] = sum;
  }
}

/// A problem of two sets whose first results are right, for tests to spoil.
class RowsOf : public testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {
 protected:
  RowsOf() : problem(*open_host_device(), RowSum::point(GetParam().first, GetParam().second, 1), 5, 2) {
    problem.refill(0);
    problem.poison();
    for (const std::size_t set : {0, 1}) sum_rows(problem.args(set), set == 1);
  }
  Verdict check() const { return problem.check(ResultIn::device); }

  RowSum problem;
};

TEST_P(RowsOf, AreOkWhereEachIsExact) {
  const Verdict verdict = check();
  EXPECT_TRUE(verdict.ok) << verdict.where;
  EXPECT_EQ(verdict.error, 0);
  EXPECT_EQ(verdict.bound, 0);
  EXPECT_EQ(verdict.where, "");
}

TEST_P(RowsOf, AreWrongWithoutAnyOneElementOrWithAnothersOne) {
  const RowSum::Args args = problem.args(0);
  if (args.in.empty()) GTEST_SKIP();
  for (const std::size_t row : std::set<std::size_t>{0, args.rows() / 2, args.rows() - 1}) {
    const float right = args.out[row];
    for (const std::size_t i : std::set<std::size_t>{0, args.columns - 1}) {
      const float element = args.in[row * args.columns + i];
      for (const float spoilt : {right - element, right + element}) {
        args.out[row] = spoilt;
        EXPECT_FALSE(check().ok);
        EXPECT_EQ(check().error, std::abs(element));
        EXPECT_NE(check().where.find("sum of row " + std::to_string(row) + " of input 0 is "), std::string::npos);
      }
    }
    args.out[row] = right;
  }
  EXPECT_TRUE(check().ok);
}

TEST_P(RowsOf, AreWrongWhereOneIsNotWritten) {
  const RowSum::Args args = problem.args(1);
  if (args.out.empty()) GTEST_SKIP();
  std::memset(&args.out.back(), 0xff, sizeof(float));
  EXPECT_FALSE(check().ok);
  EXPECT_TRUE(std::isnan(check().error));
  EXPECT_NE(check().where.find("of input 1"), std::string::npos);
}

TEST_P(RowsOf, AreWrongWhereAGuardWasWrittenTo) {
  const RowSum::Args args = problem.args(1);
  float* const behind = args.out.data() + args.out.size();
  *behind = 0;
  EXPECT_FALSE(check().ok);
  EXPECT_NE(check().where.find("guard band"), std::string::npos);
  std::memset(behind, 0xff, sizeof *behind);
  EXPECT_TRUE(check().ok);
}

using Shape = std::pair<std::int64_t, std::int64_t>;
INSTANTIATE_TEST_SUITE_P(RowSum, RowsOf,
                         testing::Values(Shape{0, 7}, Shape{7, 0}, Shape{1, 1}, Shape{300, 1}, Shape{3, 2047},
                                         Shape{1, 65'537}, Shape{257, 33}));

TEST(RowSum, NamesTheWorstOfAllRows) {
  RowSum problem(*open_host_device(), RowSum::point(9, 10), 5, 1);
  problem.refill(0);
  const RowSum::Args args = problem.args(0);
  sum_rows(args);
  args.out[2] += 1;
  args.out[5] += 4;
  args.out[7] += 2;
  EXPECT_EQ(problem.check(ResultIn::device).error, 4);
  args.out[8] = std::nanf("");  // worse than any number
  EXPECT_TRUE(std::isnan(problem.check(ResultIn::device).error));
  EXPECT_NE(problem.check(ResultIn::device).where.find("row 8"), std::string::npos);
}

TEST(RowSum, IsCheckedByTheGenerationFilledLastWhereverItsBuffersAre) {
  RowSum problem(*open_host_device(), RowSum::point(9, 100, 3), 5, 2);
  for (const std::uint64_t generation : {0, 1, 2, 1, 0}) {
    if (generation == 2) {
      problem.release();
      problem.allocate();
    }
    problem.refill(generation);
    if (generation != 0) {
      EXPECT_FALSE(problem.check(ResultIn::device).ok) << "by the generation before";
    }
    for (const std::size_t set : {0, 1}) sum_rows(problem.args(set));
    EXPECT_TRUE(problem.check(ResultIn::device).ok) << generation;
    EXPECT_EQ(problem.outputs(1).at(0).data(), reinterpret_cast<std::byte*>(problem.args(1).out.data()));
    EXPECT_EQ(problem.outputs(1).at(0).size(), problem.args(1).out.size_bytes());
  }
}

TEST(RowSum, HasEveryWrongRowCaughtAmongAMillion) {
  constexpr std::size_t rows = 1 << 20;
  RowSum problem(*open_host_device(), RowSum::point(rows, 32), 5, 1);
  problem.refill(1);
  const RowSum::Args args = problem.args(0);
  sum_rows(args);
  ASSERT_TRUE(problem.check(ResultIn::device).ok);
  const RandomStream random(8, 8);
  for (std::size_t tried = 0; tried < 20; ++tried) {
    const std::size_t row = tried == 0 ? rows - 1 : random(tried) % (rows - 1);
    const float right = args.out[row];
    const float wrong = tried % 2 == 0 ? right - args.in[row * 32 + tried] : std::nextafter(right, 9.0f);
    args.out[row] = wrong;
    const Verdict verdict = problem.check(ResultIn::device);
    EXPECT_FALSE(verdict.ok) << row;
    EXPECT_NE(verdict.where.find("row " + std::to_string(row) + " "), std::string::npos) << verdict.where;
    args.out[row] = right;
  }
}

TEST(RowSum, HasAnOracleForEverySetSeedAndShape) {
  for (const std::uint64_t seed : {1, 2})
    for (const auto& [m, n] : {Shape{4, 6}, Shape{6, 4}}) {
      RowSum problem(*open_host_device(), RowSum::point(m, n), seed, 2);
      problem.refill(0);
      for (const std::size_t set : {0, 1}) sum_rows(problem.args(set));
      EXPECT_TRUE(problem.check(ResultIn::device).ok) << seed << " " << m;
    }
}

TEST(RowSum, HasTheNotesShapesAndAllOfThemFitItsAxes) {
  std::set<Shape> shapes;
  for (const Point& point : RowSum::bench_points()) {
    shapes.insert({point.integer("m"), point.integer("n")});
    for (const Axis& axis : RowSum::axes())
      if (axis.name == "m" || axis.name == "n") {
        EXPECT_EQ(parse_value(axis, std::to_string(point.integer(axis.name))), Value(point.integer(axis.name)));
      }
  }
  EXPECT_EQ(shapes.size(), 10u);
  for (const Shape& shape : {Shape{3000, 2048}, Shape{3000, 2047}, Shape{3000, 40'960}, Shape{1, 1 << 28}})
    EXPECT_TRUE(shapes.contains(shape)) << shape.first << " x " << shape.second;
}

TEST(RowSum, IsTestedAroundEveryShapeThatMatters) {
  std::set<std::int64_t> rows, lengths, misaligned;
  std::int64_t most = 0;
  for (const TestPoint& test : RowSum::test_points()) {
    const std::int64_t m = test.point.integer("m"), n = test.point.integer("n");
    if (test.slow) {
      most = std::max(most, m * n);
      continue;
    }
    rows.insert(m);
    lengths.insert(n);
    misaligned.insert(test.point.integer("offset") % 4);
    EXPECT_LT(m * n, std::int64_t{1} << 25);  // a quick test stays quick
  }
  EXPECT_TRUE(rows.contains(0) && rows.contains(1));
  for (const std::int64_t n : {0, 1, 2047, 2048, 2049}) EXPECT_TRUE(lengths.contains(n)) << n;
  EXPECT_EQ(misaligned, (std::set<std::int64_t>{0, 1, 2, 3}));
  EXPECT_GT(most, std::int64_t{1} << 31);
}

TEST(RowSum, CostsOnePass) {
  const Cost cost = RowSum::cost(RowSum::point(3000, 2048));
  EXPECT_EQ(cost.bytes_read, 3000 * 8192);
  EXPECT_EQ(cost.bytes_written, 3000 * 4);
  EXPECT_EQ(cost.flops, 3000 * 2047);
  EXPECT_EQ(RowSum::cost(RowSum::point(5, 0)).flops, 0);
  EXPECT_GE(RowSum::footprint(RowSum::point(3000, 2048, 3)), 3000u * 8196 + 12);
  EXPECT_GT(RowSum::footprint(RowSum::point(std::int64_t{1} << 38, std::int64_t{1} << 38)), std::size_t{1} << 60);
}

/// As the notes count it, plus the last word, which thread 0 reads.
TEST(RowSum, CountsWhatATreeDoesInSharedMemory) {
  constexpr double block = RowSum::block;
  const RowSum::SharedUse* const tree = RowSum::shared_use("block_tree");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->writes, 2 * block - 1);
  EXPECT_EQ(tree->reads, 2 * block - 1);
  // Step by step: strides 128, 64, 32 leave 32 words, which a warp reads.
  double reads = 0, writes = block;
  for (unsigned stride = RowSum::block / 2; stride >= 32; stride /= 2) reads += 2 * stride, writes += stride;
  const RowSum::SharedUse* const shuffled = RowSum::shared_use("block_tree_shuffle");
  ASSERT_TRUE(shuffled);
  EXPECT_EQ(shuffled->reads, reads + 32);
  EXPECT_EQ(shuffled->writes, writes);
  EXPECT_FALSE(RowSum::shared_use("cub"));
}

TEST(RowSum, FindsTheBestTheCurveAndTheEmptyBlocks) {
  const Point point = RowSum::point(3000, 2048);
  const auto outcome = [&](const char* rung, double us) {
    return Outcome{rung, point, us * 1e-6, RowSum::cost(point), {}};
  };
  const std::vector<Finding> findings =
      RowSum::findings({outcome("cuda/row_sum/block_tree", 20), outcome("cuda/row_sum/over_launched", 30),
                        outcome("cuda/row_sum/ilp", 12), outcome("cuda/row_sum/ilp@k10", 11),
                        outcome("cuda/row_sum/ilp@k1", 19), outcome("cuda/row_sum/adaptive", 8)});
  ASSERT_EQ(findings.size(), 4u);
  EXPECT_EQ(findings[0].kind, "best_rung");
  EXPECT_EQ(findings[0].word("rung"), "cuda/row_sum/adaptive");
  EXPECT_EQ(to_string(findings[0]), "3000 x 2048: best is cuda/row_sum/adaptive, 8.00 µs, 3.07 TB/s");
  EXPECT_EQ(findings[1].kind, "empty_blocks");
  EXPECT_NEAR(findings[1].number("ratio").value(), 1.5, 1e-12);
  EXPECT_EQ(to_string(findings[1]), "3000 x 2048: cuda/row_sum/over_launched takes 1.50 × block_tree's time");
  EXPECT_EQ(to_string(findings[2]),
            "3000 x 2048: cuda/row_sum/ilp by accumulators: 1: 19.0 µs, 5: 12.0 µs, 10: 11.0 µs");
  EXPECT_NE(to_string(findings[3]).find("block_tree: 511 / 511"), std::string::npos) << to_string(findings[3]);
  EXPECT_TRUE(RowSum::findings({}).empty());
}

}  // namespace
}  // namespace crosswarp
