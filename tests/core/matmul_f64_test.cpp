// The double product's bound: passes sums in double in any order, and tells shorter ones from them.
#include "experiments/matmul_f64.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MatmulF64>);

using Sum = std::function<double(const double* row, const double* column, std::size_t n, std::size_t k)>;

Verdict check(std::size_t k, const Sum& sum) {
  MatmulF64 problem(*open_host_device(), MatmulF64::point({31, 33, k}), 5, 2);
  problem.refill(0);
  problem.poison();
  for (std::size_t set = 0; set < 2; ++set) {
    const MatmulF64::Args args = problem.args(set);
    for (std::size_t i = 0; i < args.c.size(); ++i)
      args.c[i] = sum(&args.a[i / args.n * k], &args.b[i % args.n], args.n, k);
  }
  return problem.check(ResultIn::device);
}

template <class T>
T backwards(const double* row, const double* column, std::size_t n, std::size_t k) {
  T sum = 0;
  for (std::size_t l = k; l-- > 0;) sum += static_cast<T>(row[l] * column[l * n]);
  return sum;
}

class MatmulF64Bound : public testing::TestWithParam<std::size_t> {};

TEST_P(MatmulF64Bound, HoldsInAnyOrder) {
  const Verdict verdict = check(GetParam(), backwards<double>);
  EXPECT_TRUE(verdict.ok) << verdict.where;
}

TEST_P(MatmulF64Bound, DoesNotHoldForFloat) { EXPECT_FALSE(check(GetParam(), backwards<float>).ok); }

TEST_P(MatmulF64Bound, DoesNotHoldForOneProductLess) {
  const Verdict verdict = check(GetParam(), [](const double* row, const double* column, std::size_t n, std::size_t k) {
    return backwards<double>(row, column, n, k - 1);
  });
  EXPECT_FALSE(verdict.ok);
  EXPECT_NE(verdict.where.find("row "), std::string::npos) << verdict.where;
}

TEST_P(MatmulF64Bound, DoesNotHoldForOperandsOf48Bits) {
  const auto cut = [](double x) { return static_cast<double>(static_cast<std::int64_t>(x * 0x1p48)) * 0x1p-48; };
  const Sum sum = [&](const double* row, const double* column, std::size_t n, std::size_t k) {
    double all = 0;
    for (std::size_t l = 0; l < k; ++l) all += cut(row[l]) * cut(column[l * n]);
    return all;
  };
  EXPECT_FALSE(check(GetParam(), sum).ok);
}

INSTANTIATE_TEST_SUITE_P(Depths, MatmulF64Bound, testing::Values(1, 2, 7, 64));

TEST(MatmulF64, OfNoDepthIsZero) {
  EXPECT_TRUE(check(0, backwards<double>).ok);
  EXPECT_EQ(MatmulF64::bound(0).at(0), 0);
}

}  // namespace
}  // namespace crosswarp
