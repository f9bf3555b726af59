// The products' oracle: right only where every element is, within what its type costs, and what follows from several
// results.
#include "experiments/matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "core/host_device.hpp"
#include "experiments/matmul_f16.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MatmulF32>);
static_assert(ExperimentType<MatmulF16>);

/// In float, from the first product or from the last one.
void multiply(const MatmulF32::Args& args, bool backwards = false) {
  for (std::size_t row = 0; row < args.m; ++row) {
    float* const c = args.c.data() + row * args.n;
    std::fill_n(c, args.n, 0.0f);
    for (std::size_t step = 0; step < args.k; ++step) {
      const std::size_t l = backwards ? args.k - 1 - step : step;
      for (std::size_t column = 0; column < args.n; ++column)
        c[column] += args.a[row * args.k + l] * args.b[l * args.n + column];
    }
  }
}

/// A problem of two sets whose first results are right, to be spoilt from there.
class MatmulOf : public testing::TestWithParam<ProductShape> {
 protected:
  MatmulOf() : problem(*open_host_device(), MatmulF32::point(GetParam()), 5, 2) {
    problem.poison();
    for (const std::size_t set : {0, 1}) multiply(problem.args(set), set == 1);
  }
  Verdict check() const { return problem.check(ResultIn::device); }

  MatmulF32 problem;
};

TEST_P(MatmulOf, IsOkInAnyOrderWellWithinItsBound) {
  const Verdict verdict = check();
  EXPECT_TRUE(verdict.ok) << verdict.where;
  EXPECT_LE(verdict.error, verdict.bound / (GetParam().k > 16 ? 2 : 1));
  EXPECT_EQ(verdict.where, "");
}

TEST_P(MatmulOf, IsWrongWhereOneProductIsMissing) {
  const MatmulF32::Args args = problem.args(0);
  if (args.c.empty() || args.k == 0) GTEST_SKIP();
  for (const std::size_t row : std::set<std::size_t>{0, args.m / 2, args.m - 1})
    for (const std::size_t column : std::set<std::size_t>{0, args.n - 1}) {
      float& c = args.c[row * args.n + column];
      const float right = c;
      const std::size_t l = args.k - 1;
      c -= args.a[row * args.k + l] * args.b[l * args.n + column];
      EXPECT_FALSE(check().ok) << row << " " << column;
      EXPECT_NE(check().where.find("row " + std::to_string(row)), std::string::npos) << check().where;
      c = right;
    }
  EXPECT_TRUE(check().ok);
}

TEST_P(MatmulOf, IsWrongWhereTwoElementsAreInEachOthersPlace) {
  const MatmulF32::Args args = problem.args(1);
  if (args.c.size() < 2 || args.k == 0) GTEST_SKIP();
  std::swap(args.c.back(), args.c[args.c.size() - 2]);
  EXPECT_FALSE(check().ok);
  EXPECT_NE(check().where.find("of input 1"), std::string::npos);
}

TEST_P(MatmulOf, IsWrongWhereOneElementIsNotWritten) {
  const MatmulF32::Args args = problem.args(1);
  if (args.c.empty()) GTEST_SKIP();
  std::memset(&args.c.back(), 0xff, sizeof(float));
  EXPECT_FALSE(check().ok);
  EXPECT_TRUE(std::isnan(check().error));
}

TEST_P(MatmulOf, IsWrongWhereAGuardWasWrittenTo) {
  const MatmulF32::Args args = problem.args(1);
  args.c.data()[args.c.size()] = 0;
  EXPECT_FALSE(check().ok);
  EXPECT_NE(check().where.find("guard band"), std::string::npos);
}

// The last one is a projection.
INSTANTIATE_TEST_SUITE_P(Matmul, MatmulOf,
                         testing::Values(ProductShape{0, 7, 3}, ProductShape{7, 5, 0}, ProductShape{1, 1, 1},
                                         ProductShape{33, 65, 31}, ProductShape{64, 64, 257}, ProductShape{1, 600, 40},
                                         ProductShape{5, 3, 5000}, ProductShape{5800, 5800, 1}));

TEST(Matmul, IsProjectedWhereAllElementsWouldTakeTooLong) {
  const auto is_projection = [](const ProductShape& shape) {
    return product_oracle(shape, ProductInputs(1, 0, 24, false))->is_projection();
  };
  EXPECT_FALSE(is_projection({512, 512, 512}));
  EXPECT_FALSE(is_projection({1, 4096, 4096}));
  EXPECT_TRUE(is_projection({1024, 1024, 1024}));
  EXPECT_TRUE(is_projection({6000, 6000, 1}));
}

/// What the multiplications of TF32 do to their factors.
float rounded_to_11_bits(float value) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x1000u) & ~0x1fffu);
}

TEST(Matmul, IsWrongInTf32) {
  for (const std::size_t k : {31, 257, 4096}) {
    MatmulF32 problem(*open_host_device(), MatmulF32::point({20, 30, k}), 5, 1);
    problem.refill(0);
    const MatmulF32::Args args = problem.args(0);
    for (std::size_t row = 0; row < args.m; ++row)
      for (std::size_t column = 0; column < args.n; ++column) {
        double sum = 0;
        for (std::size_t l = 0; l < k; ++l)
          sum += double{rounded_to_11_bits(args.a[row * k + l])} * rounded_to_11_bits(args.b[l * args.n + column]);
        args.c[row * args.n + column] = static_cast<float>(sum);
      }
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << k;
  }
}

template <class T>
T narrow(float value) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(value);
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return to_bfloat16(value);
  else
    return value;
}

/// Of A and B of type T, C of type To; sums in float, what it cannot hold cut off after each step as matrix
/// units do. One product less where `drops`.
template <class T, class To>
void multiply16(const MatmulF16::Args& args, bool drops) {
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float sum = 0;
      for (std::size_t l = 0; l < args.k - (drops && row == 1 && column == 2 ? 1 : 0); ++l) {
        const std::size_t of_b = args.b_transposed ? column * args.k + l : l * args.n + column;
        const double exact = double{sum} + double{to_float(T{args.a[row * args.k + l]})} * to_float(T{args.b[of_b]});
        sum = static_cast<float>(exact);
        if (std::abs(sum) > std::abs(exact)) sum = std::nextafter(sum, 0.0f);
      }
      args.c_as<To>()[row * args.n + column] = narrow<To>(sum);
    }
}

TEST(Matmul16, IsOkInEveryTypeAndLayoutAndWrongWithoutOneProduct) {
  for (const std::string layout : {"nn", "tn"})
    for (const std::string type : {"f16", "bf16"})
      for (const std::string out : {"same", "f32"})
        for (const ProductShape& shape : {ProductShape{17, 9, 40}, {5, 8, 4000}}) {
          const Point point = MatmulF16::point(shape, layout, type, out);
          MatmulF16 problem(*open_host_device(), point, 6, 2);
          problem.refill(0);
          for (const bool drops : {false, true}) {
            problem.poison();
            for (const std::size_t set : {0, 1}) {
              const MatmulF16::Args args = problem.args(set);
              EXPECT_EQ(args.c.size(), shape.m * shape.n * (args.f32_out ? 4 : 2));
              if (args.f32_out)
                args.bf16 ? multiply16<Bfloat16, float>(args, drops) : multiply16<Half, float>(args, drops);
              else
                args.bf16 ? multiply16<Bfloat16, Bfloat16>(args, drops) : multiply16<Half, Half>(args, drops);
            }
            const Verdict verdict = problem.check(ResultIn::device);
            EXPECT_EQ(verdict.ok, !drops) << point.name() << " " << verdict.where << " " << verdict.error;
          }
        }
}

TEST(Matmul16, IsGivenNumbersThatAreExactInItsTypes) {
  MatmulF16 half(*open_host_device(), MatmulF16::point({9, 9, 9}, "nn", "f16", "same"), 6, 1);
  half.refill(0);
  MatmulF16 bfloat(*open_host_device(), MatmulF16::point({9, 9, 9}, "nn", "bf16", "same"), 6, 1);
  bfloat.refill(0);
  const ProductInputs of_half(6, 0, 11, false), of_bfloat(6, 0, 8, false);
  for (std::size_t i = 0; i < 81; ++i) {
    EXPECT_EQ(to_float(Half{half.args(0).a[i]}), of_half.a(i));
    EXPECT_EQ(to_float(Bfloat16{bfloat.args(0).b[i]}), of_bfloat.b(i));
  }
}

TEST(Matmul, IsTestedAtRaggedSizesInEveryDimensionAndWithin300KilobytesForMost) {
  std::set<std::size_t> m, n, k;
  std::size_t small = 0;
  for (const TestPoint& test : MatmulF32::test_points()) {
    const ProductShape shape = shape_of(test.point);
    m.insert(shape.m), n.insert(shape.n), k.insert(shape.k);
    small += MatmulF32::footprint(test.point) <= 300'000;
  }
  for (const std::size_t ragged : {0, 1, 7, 31, 33, 63, 65, 127, 129, 257})
    EXPECT_TRUE(m.contains(ragged) && n.contains(ragged) && k.contains(ragged)) << ragged;
  EXPECT_GE(small, 25u);
  std::set<Point> kinds;
  for (const TestPoint& test : MatmulF16::test_points()) EXPECT_TRUE(kinds.insert(test.point).second);
}

TEST(Matmul, HasTheNotesSizesAndAllFitItsAxes) {
  std::set<std::size_t> squares;
  for (const Point& point : MatmulF32::bench_points()) {
    const ProductShape shape = shape_of(point);
    if (shape.m == shape.n && shape.n == shape.k) squares.insert(shape.n);
    for (const Axis& axis : shape_axes())
      EXPECT_EQ(parse_value(axis, std::to_string(point.integer(axis.name))), Value(point.integer(axis.name)));
  }
  for (const std::size_t n : {128, 256, 512, 1024, 2048, 4096, 8192}) EXPECT_TRUE(squares.contains(n)) << n;
}

TEST(Matmul, CostsTwoOperationsForEachProduct) {
  const Cost cost = MatmulF32::cost(MatmulF32::point({3, 5, 7}));
  EXPECT_EQ(cost.amount(), 2 * 3 * 5 * 7);
  EXPECT_EQ(cost.bytes_read, 4 * (3 * 7 + 7 * 5));
  EXPECT_EQ(cost.bytes_written, 4 * 3 * 5);
  EXPECT_EQ(cost.ceiling, "f32");
  EXPECT_EQ(MatmulF16::cost(MatmulF16::point({3, 5, 7}, "tn", "bf16", "same")).ceiling, "tensor_bf16");
  EXPECT_EQ(MatmulF16::cost(MatmulF16::point({3, 5, 7}, "tn", "f16", "f32")).bytes_written, 4 * 3 * 5);
}

TEST(Matmul, FindsTheCublasFactorsAndTheirMeans) {
  const auto outcome = [](const char* rung, const ProductShape& shape, double seconds) {
    const Point point = MatmulF32::point(shape);
    return Outcome{rung, point, seconds, MatmulF32::cost(point), {}};
  };
  std::vector<Outcome> outcomes;
  for (const auto& [n, factor] : {std::pair<std::size_t, double>{256, 3}, {512, 4}, {1024, 9}}) {
    outcomes.push_back(outcome("cuda/matmul_f32/cublas", {n, n, n}, 1e-3));
    outcomes.push_back(outcome("cuda/matmul_f32/naive_16x16", {n, n, n}, factor * 1e-3));
  }
  outcomes.push_back(outcome("cuda/matmul_f32/cublas", {1, 512, 512}, 1e-3));
  outcomes.push_back(outcome("cuda/matmul_f32/naive_16x16", {1, 512, 512}, 5e-4));
  const std::vector<std::string> lines = MatmulF32::findings(outcomes);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0],
            "cuBLAS factor of cuda/matmul_f32/naive_16x16, f32: 1x512x512: 0.5, 256: 3, 512: 4, 1024: 9; mean of "
            "squares from 512 on 6.5, geometric 6");
  EXPECT_TRUE(MatmulF32::findings({}).empty());
}

}  // namespace
}  // namespace crosswarp
