// Oracle and findings of matrix_layout.
#include "experiments/matrix_layout.hpp"

#include <gtest/gtest.h>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MatrixLayout>);

Point point(std::int64_t m, std::int64_t n, const char* order) {
  return product(MatrixLayout::axes(), {{m}, {n}, {order}}).front();
}

/// Sums that take in(row, column) at row · row_stride + column · column_stride.
Verdict verdict_of(const char* order, std::size_t row_stride, std::size_t column_stride) {
  MatrixLayout problem(*open_host_device(), point(40, 7, order), 5, 2);
  problem.refill(0);
  problem.poison();
  for (const std::size_t set : {0, 1}) {
    const MatrixLayout::Args args = problem.args(set);
    for (std::size_t row = 0; row < args.rows(); ++row) {
      args.out[row] = 0;
      for (std::size_t column = 0; column < args.columns; ++column)
        args.out[row] += args.in[row * row_stride + column * column_stride];
    }
  }
  return problem.check(ResultIn::device);
}

TEST(MatrixLayout, IsRightInItsOwnOrderOnly) {
  EXPECT_TRUE(verdict_of("right", 7, 1).ok);
  EXPECT_TRUE(verdict_of("left", 1, 40).ok);
  EXPECT_FALSE(verdict_of("right", 1, 40).ok);
  EXPECT_FALSE(verdict_of("left", 7, 1).ok);
  EXPECT_NE(verdict_of("left", 7, 1).where.find("sum of row "), std::string::npos);
}

TEST(MatrixLayout, FindsWhatTheOtherOrderCosts) {
  std::vector<Outcome> outcomes;
  for (const auto& [order, seconds] : {std::pair{"right", 2.0}, {"left", 3.0}})
    outcomes.push_back(
        {"host/matrix_layout/reference", point(40, 7, order), seconds, MatrixLayout::cost(point(40, 7, order)), {}});
  const std::vector<Finding> findings = MatrixLayout::findings(outcomes);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(to_string(findings[0]),
            "host/matrix_layout/reference, 40 x 7: stored by columns it takes 1.50 times as long as stored by rows");
  outcomes.pop_back();
  EXPECT_TRUE(MatrixLayout::findings(outcomes).empty());
}

}  // namespace
}  // namespace crosswarp
