// The matrix products' oracle, which accepts C only if every element is within its bound; inputs, shapes and findings.
#include "experiments/matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "core/host_device.hpp"
#include "experiments/matmul_f16.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MatmulF32>);
static_assert(ExperimentType<MatmulF16>);

/// In float, along k forwards or backwards.
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

template <class T>
T narrow(float value) {
  if constexpr (std::is_same_v<T, Half>)
    return to_half(value);
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return to_bfloat16(value);
  else if constexpr (std::is_same_v<T, E4m3>)
    return to_e4m3(value);
  else if constexpr (std::is_same_v<T, E5m2>)
    return to_e5m2(value);
  else
    return value;
}

/// Two sets with correct results, for tests to corrupt.
class MatmulOf : public testing::TestWithParam<GemmShape> {
 protected:
  MatmulOf() : problem(*open_host_device(), MatmulF32::point(GetParam()), 5, 2) {
    problem.refill(0);
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

INSTANTIATE_TEST_SUITE_P(Matmul, MatmulOf,
                         testing::Values(GemmShape{0, 7, 3}, GemmShape{7, 5, 0}, GemmShape{1, 1, 1},
                                         GemmShape{33, 65, 31}, GemmShape{64, 64, 257}, GemmShape{1, 600, 40},
                                         GemmShape{5, 3, 5000}, GemmShape{1500, 1300, 1}));

/// C as numbers, whatever its type.
struct Numbers {
  TypedSpan memory;

  double get(std::size_t i) const {
    return std::visit([&](auto typed) { return to_double(typed[i]); }, memory);
  }
  void set(std::size_t i, double value) const {
    std::visit([&]<class T>(std::span<T> typed) { typed[i] = narrow<T>(static_cast<float>(value)); }, memory);
  }
};

/// Corrupts a correct result in one place, `tries` times for each kind of change, and expects check() to reject each. A
/// change within the element's bound is redrawn; max one in ten.
template <class P>
void expect_all_caught(P& problem, const Numbers& c, std::size_t columns, const ErrorBound& bound) {
  constexpr std::size_t tile = 16, tries = 30;
  const std::size_t rows = size(c.memory) / columns;
  using Change = std::function<void(std::size_t, std::size_t)>;
  std::vector<double> right(size(c.memory));
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = c.get(i);
  ASSERT_TRUE(problem.check(ResultIn::device).ok) << problem.check(ResultIn::device).where;
  const std::map<std::string, Change> changes{
      {"zeroed", [&](std::size_t row, std::size_t column) { c.set(row * columns + column, 0); }},
      {"swapped",
       [&](std::size_t row, std::size_t column) {
         c.set(row * columns + column, right[row * columns + (column + 5) % columns]);
         c.set(row * columns + (column + 5) % columns, right[row * columns + column]);
       }},
      {"tile shifted by a column",
       [&](std::size_t row, std::size_t column) {
         for (std::size_t r = row / tile * tile; r < std::min(row / tile * tile + tile, rows); ++r)
           for (std::size_t l = column / tile * tile; l < std::min(column / tile * tile + tile, columns); ++l)
             c.set(r * columns + l, right[r * columns + (l + 1) % columns]);
       }},
      {"an exponent's bit",
       [&](std::size_t row, std::size_t column) { c.set(row * columns + column, 2 * right[row * columns + column]); }}};
  std::size_t drawn_again = 0;
  const RandomStream random(7, 7);
  std::uint64_t draws = 0;
  for (const auto& [name, change] : changes)
    for (std::size_t tried = 0; tried < tries;) {
      const std::size_t i = random(draws++) % right.size();
      change(i / columns, i % columns);
      bool is_wrong = false;
      for (std::size_t e = 0; e < right.size(); ++e)
        is_wrong |= std::abs(c.get(e) - right[e]) > 1.1 * bound.at(right[e]);
      tried += is_wrong;
      drawn_again += !is_wrong;
      EXPECT_EQ(problem.check(ResultIn::device).ok, !is_wrong) << name << " at " << i;
      for (std::size_t e = 0; e < right.size(); ++e) c.set(e, right[e]);
    }
  EXPECT_LT(drawn_again, changes.size() * tries / 10);
}

// k of the largest benchmarked products, since the bound grows with k; m and n for a test of a second.
constexpr GemmShape deep{130, 140, 8192};

TEST(Matmul, HasEveryWrongElementCaughtInFloat) {
  MatmulF32 problem(*open_host_device(), MatmulF32::point(deep), 5, 1);
  problem.refill(3);
  const auto [a, b, c, m, n, k] = problem.args(0);
  std::vector<float> in{a.begin(), a.end()}, other{b.begin(), b.end()};
  reference_gemm({std::span(in), std::span(other), m, n, k}, c);
  expect_all_caught(problem, {c}, n, bound_of_f32(k));
}

template <class T>
void expect_all_caught_in_16_bits(const char* type, int significant_bits) {
  MatmulF16 problem(*open_host_device(), MatmulF16::point(deep, "nn", type, "same"), 5, 1);
  problem.refill(3);
  const MatmulF16::Args args = problem.args(0);
  std::vector<T> a(args.a.size()), b(args.b.size());
  std::memcpy(a.data(), args.a.data(), args.a.size_bytes());
  std::memcpy(b.data(), args.b.data(), args.b.size_bytes());
  std::vector<double> right(deep.m * deep.n);
  reference_gemm({std::span(a), std::span(b), deep.m, deep.n, deep.k}, std::span(right));
  const Numbers c{std::span(args.template c_as<T>(), right.size())};
  for (std::size_t i = 0; i < right.size(); ++i) c.set(i, right[i]);
  expect_all_caught(problem, c, deep.n, bound_of_16_bits(deep.k, significant_bits));
}

TEST(Matmul16, HasEveryWrongElementCaughtInHalf) { expect_all_caught_in_16_bits<Half>("f16", 11); }
TEST(Matmul16, HasEveryWrongElementCaughtInBfloat16) { expect_all_caught_in_16_bits<Bfloat16>("bf16", 8); }

TEST(Matmul, IsCheckedByTheGenerationFilledLastWhereverItsBuffersAre) {
  MatmulF32 problem(*open_host_device(), MatmulF32::point({20, 30, 40}), 5, 2);
  for (const std::uint64_t generation : {0, 1, 2, 1, 0}) {
    if (generation == 2) {
      problem.release();
      problem.allocate();
    }
    problem.refill(generation);
    EXPECT_EQ(problem.args(1).b[7], GemmInputs(generation_seed(5, generation), 1, 24, false).b(7));
    if (generation != 0) {
      EXPECT_FALSE(problem.check(ResultIn::device).ok) << "by the generation before";
    }
    for (const std::size_t set : {0, 1}) multiply(problem.args(set));
    EXPECT_TRUE(problem.check(ResultIn::device).ok) << generation;
    EXPECT_EQ(problem.outputs(1).at(0).data(), reinterpret_cast<std::byte*>(problem.args(1).c.data()));
    EXPECT_EQ(problem.outputs(1).at(0).size(), problem.args(1).c.size_bytes());
  }
}

/// An operand of TF32: 11 significant bits.
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

/// A GEMM of T to To as matrix units compute it: float accumulators, truncated after each step. `drops`: without one of
/// the products.
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
        for (const GemmShape& shape : {GemmShape{17, 9, 40}, {5, 8, 4000}}) {
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
  const GemmInputs of_half(6, 0, 11, false), of_bfloat(6, 0, 8, false);
  for (std::size_t i = 0; i < 81; ++i) {
    EXPECT_EQ(to_float(Half{half.args(0).a[i]}), of_half.a(i));
    EXPECT_EQ(to_float(Bfloat16{bfloat.args(0).b[i]}), of_bfloat.b(i));
  }
}

TEST(Matmul, IsTestedAtRaggedSizesInEveryDimensionAndWithin300KilobytesForMost) {
  std::set<std::size_t> m, n, k;
  std::size_t small = 0;
  for (const TestPoint& test : MatmulF32::test_points()) {
    const GemmShape shape = shape_of(test.point);
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
    const GemmShape shape = shape_of(point);
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

TEST(Matmul, IsNotForAProcessorWhereItsReferenceTakesMinutes) {
  const ExperimentEntry entry = describe<MatmulF32>();
  DeviceInfo gpu;
  gpu.warp_size = 32;
  const DeviceInfo host = host_device_info();
  const auto too_long = [&](std::size_t n, const DeviceInfo& on) {
    return takes_too_long_to_check(entry, MatmulF32::point({n, n, n}), on);
  };
  EXPECT_EQ(too_long(1536, host), "");
  EXPECT_EQ(too_long(8192, gpu), "");
  EXPECT_NE(too_long(40'000, gpu), "");
  for (const Point& point : MatmulF32::bench_points())  // all of them on a GPU
    EXPECT_LE(entry.check_cost(point), most_check_cost(gpu));
  gpu.emulated = true;
  EXPECT_NE(too_long(8192, gpu), "");
  EXPECT_EQ(too_long(2048, host),
            "takes too long to check in full: a reference takes 1.7e+10 operations, the limit for " + host.name +
                " is 8.6e+09; m:1624/n:1624/k:1624/type:f32 is within it");
}

TEST(Matmul, FindsTheSpeedOverCublasAndItsMean) {
  const auto outcome = [](const char* rung, const GemmShape& shape, double seconds) {
    const Point point = MatmulF32::point(shape);
    return Outcome{rung, point, seconds, MatmulF32::cost(point), {}};
  };
  std::vector<Outcome> outcomes;
  for (const auto& [n, factor] : {std::pair<std::size_t, double>{256, 2}, {512, 4}, {1024, 16}}) {
    outcomes.push_back(outcome("cuda/matmul_f32/cublas", {n, n, n}, 1e-3));
    outcomes.push_back(outcome("cuda/matmul_f32/naive_16x16", {n, n, n}, factor * 1e-3));
  }
  outcomes.push_back(outcome("cuda/matmul_f32/cublas", {1, 512, 512}, 1e-3));
  outcomes.push_back(outcome("cuda/matmul_f32/naive_16x16", {1, 512, 512}, 5e-4));
  const std::vector<Finding> findings = MatmulF32::findings(outcomes);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(to_string(findings[0]),
            "speed of cuda/matmul_f32/naive_16x16, f32, relative to the library: 1x512x512: 2, 256: 0.5, 512: 0.25, "
            "1024: 0.0625; geometric mean of squares from 512 on 0.125");
  EXPECT_DOUBLE_EQ(findings[0].number("mean").value(), 0.125);
  EXPECT_TRUE(MatmulF32::findings({}).empty());
}

}  // namespace
}  // namespace crosswarp
