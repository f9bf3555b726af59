// General numbers, and errors against a reference of higher precision.
#include "core/accuracy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include "core/host_device.hpp"
#include "experiments/matmul_f16.hpp"
#include "experiments/matmul_f32.hpp"
#include "experiments/reduce_sum.hpp"
#include "experiments/row_sum.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

using enum Distribution;

template <class T>
std::vector<T> drawn(const GeneralNumbers& numbers, std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = numbers.at<T>(i);
  return values;
}

/// Σ|x| / |Σx|
double condition(const std::vector<double>& terms) {
  TwoDoubles sum, size;
  for (const double x : terms) {
    sum.add(x);
    size.add(std::abs(x));
  }
  return size.high / std::abs(sum.high);
}

template <class T>
class GeneralNumbersOf : public testing::Test {};
using Floating = testing::Types<float, double, Half, Bfloat16>;
TYPED_TEST_SUITE(GeneralNumbersOf, Floating);

TYPED_TEST(GeneralNumbersOf, AreTheSameOnTheDevice) {
  for (const Distribution distribution : distributions) {
    const GeneralNumbers numbers(distribution, 7, 1009);
    std::vector<TypeParam> generated(5000);
    open_host_device()->generate_general(std::span(generated), numbers);
    const auto own = drawn<TypeParam>(numbers, generated.size());
    EXPECT_EQ(std::memcmp(own.data(), generated.data(), own.size() * sizeof(TypeParam)), 0) << to_string(distribution);
  }
}

TYPED_TEST(GeneralNumbersOf, AreUniform) {
  constexpr std::size_t n = 1 << 16;
  for (const auto& [distribution, least, mean, deviation] :
       {std::tuple{uniform, -1.0, 0.0, 1 / std::sqrt(3.0)}, {positive, 0.0, 0.5, 1 / std::sqrt(12.0)}}) {
    double sum = 0, squares = 0;
    for (const TypeParam x : drawn<TypeParam>(GeneralNumbers(distribution, 3, n), n)) {
      ASSERT_GE(to_double(x), least);
      ASSERT_LE(to_double(x), 1);
      sum += to_double(x);
      squares += to_double(x) * to_double(x);
    }
    EXPECT_NEAR(sum / n, mean, 6 * deviation / std::sqrt(n)) << to_string(distribution);
    EXPECT_NEAR(squares / n - sum / n * sum / n, deviation * deviation, 0.01) << to_string(distribution);
  }
}

TYPED_TEST(GeneralNumbersOf, HaveEveryBitOfTheirType) {
  constexpr int fraction = std::same_as<TypeParam, double>  ? 52
                           : std::same_as<TypeParam, float> ? 23
                           : std::same_as<TypeParam, Half>  ? 10
                                                            : 7;
  using Word = std::conditional_t<sizeof(TypeParam) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(TypeParam) == 4, std::uint32_t, std::uint16_t>>;
  for (const Distribution distribution : distributions) {
    constexpr int n = 1 << 14;
    std::vector<int> ones(fraction);
    for (const TypeParam x : drawn<TypeParam>(GeneralNumbers(distribution, 5, n), n))
      for (int bit = 0; bit < fraction; ++bit) ones[bit] += std::bit_cast<Word>(x) >> bit & 1;
    // Of numbers in pairs only two thirds are independent; rounding to even prefers no bit by more than this.
    for (int bit = 0; bit < fraction; ++bit) EXPECT_NEAR(ones[bit] / double{n}, 0.5, 0.03) << bit;
  }
}

TYPED_TEST(GeneralNumbersOf, AreIllConditioned) {
  for (const std::size_t n : {300, 1009, 65'536, 1'000'003}) {
    std::vector<double> terms;
    for (const TypeParam x : drawn<TypeParam>(GeneralNumbers(ill_conditioned, 3, n), n)) terms.push_back(to_double(x));
    EXPECT_GT(condition(terms), 3e5) << n;
    EXPECT_LT(condition(terms), 3e6) << n;
    const auto [least, most] = std::ranges::minmax_element(terms, {}, [](double x) { return std::abs(x); });
    EXPECT_GE(std::ilogb(*most) - std::ilogb(*least), 24) << n;
    // Neighbours do not cancel: what is left of two of them is as large as they are.
    std::size_t cancelled = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) cancelled += terms[i] == -terms[i + 1];
    EXPECT_LE(cancelled, 10 + n / 2000) << n;  // by chance, where a type has few numbers
  }
}

TYPED_TEST(GeneralNumbersOf, MakeIllConditionedProducts) {
  constexpr std::size_t m = 5, n = 7, k = 999;
  for (const bool transposed : {false, true}) {
    const GeneralNumbers a(ill_conditioned, 3, k, GeneralNumbers::Role::a);
    const GeneralNumbers b(ill_conditioned, 3, k, GeneralNumbers::Role::b, transposed ? 1 : n);
    for (std::size_t row = 0; row < m; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        std::vector<double> terms;
        for (std::size_t l = 0; l < k; ++l)
          terms.push_back(to_double(a.at<TypeParam>(row * k + l)) *
                          to_double(b.at<TypeParam>(transposed ? column * k + l : l * n + column)));
        EXPECT_GT(condition(terms), 1e5);
        EXPECT_LT(condition(terms), 1e7);
      }
    EXPECT_NE(to_double(a.at<TypeParam>(0)), to_double(a.at<TypeParam>(k)));  // rows differ
    EXPECT_NE(to_double(b.at<TypeParam>(0)), to_double(b.at<TypeParam>(transposed ? k : 1)));
  }
}

TEST(GeneralNumbers, DifferBySeed) {
  for (const Distribution distribution : distributions)
    EXPECT_NE(drawn<float>(GeneralNumbers(distribution, 1, 64), 64),
              drawn<float>(GeneralNumbers(distribution, 2, 64), 64));
}

TEST(GeneralNumbers, AreNotOfIntegers) {
  std::vector<std::int32_t> integers(3);
  EXPECT_TRUE(refuses([&] { fill_general(std::span(integers), GeneralNumbers(uniform, 1, 3)); }, "floating types"));
}

TEST(TwoDoubles, KeepsWhatADoubleLoses) {
  TwoDoubles sum;
  for (const double x : {1.0, 0x1p-60, 0x1p-90, -1.0}) sum.add(x);
  EXPECT_EQ(sum.high, 0x1p-60 + 0x1p-90);
  EXPECT_EQ(sum.low, 0);
  TwoDoubles large;
  large.add(0x1p60);
  large.add(sum);
  EXPECT_EQ(large.high, 0x1p60);
  EXPECT_EQ(large.low, 0x1p-60 + 0x1p-90);  // 2^-120 of the sum: by luck, since nothing was added before
}

TEST(ReferenceSums, AreTheSumsOfWhatDevicesHold) {
  constexpr std::uint64_t rows = 3, columns = 10'007;
  for (const Distribution distribution : distributions) {
    const GeneralNumbers numbers(distribution, 9, columns);
    const auto sums = reference_sums<float>(numbers, 1, rows, columns);
    ASSERT_EQ(sums.size(), rows);
    for (std::uint64_t row = 0; row < rows; ++row) {
      long double sum = 0;
      for (std::uint64_t i = 0; i < columns; ++i) sum += numbers.at<float>((1 + row) * columns + i);
      EXPECT_NEAR(sums[row].high, static_cast<double>(sum), 1e-15 * columns) << to_string(distribution);
    }
  }
  EXPECT_EQ(reference_sums<double>(GeneralNumbers(uniform, 1, 0), 0, 2, 0)[1].high, 0);
}

TEST(Ulp, IsTheDistanceToTheNextNumber) {
  for (const float x : {1.0f, 1.5f, -3.0f, 0.999f, 1e30f, 1e-30f, 1e-42f, 0.0f})
    EXPECT_EQ(ulp<float>(x), double{std::nextafter(std::abs(x), INFINITY)} - std::abs(x)) << x;
  EXPECT_EQ(ulp<double>(1.0), 0x1p-52);
  for (const std::uint16_t bits : {0x3c00, 0x3bff, 0x7bfe, 0x0400, 0x0001, 0x0000})
    EXPECT_EQ(ulp<Half>(to_float(Half{bits})),
              double{to_float(Half{static_cast<std::uint16_t>(bits + 1)})} - to_float(Half{bits}))
        << bits;
  for (const std::uint16_t bits : {0x3f80, 0x3f7f, 0x0080, 0x0001})
    EXPECT_EQ(ulp<Bfloat16>(to_float(Bfloat16{bits})),
              double{to_float(Bfloat16{static_cast<std::uint16_t>(bits + 1)})} - to_float(Bfloat16{bits}))
        << bits;
}

TEST(ErrorsTest, AreInUlpsAndRelative) {
  Errors errors;
  errors.add(1.0f, {1.0, 0x1p-26});  // what rounding costs
  errors.add(3.0f, {2.0, 0});
  errors.add(to_half(1.0f), {1.0 + 0x1p-10, 0});
  errors.add(0.0f, {0, 0});
  EXPECT_EQ(errors.ulps, (std::vector{0.125, 0x1p22, 1.0, 0.0}));
  EXPECT_EQ(errors.relative[0], 0x1p-26);
  EXPECT_EQ(errors.relative[1], 0.5);
  EXPECT_EQ(errors.relative[3], 0);
  const ErrorSummary summary(positive, errors);
  EXPECT_EQ(summary.outputs, 4u);
  EXPECT_EQ(summary.ulp_median, 0.125);  // the lower of the two in the middle
  EXPECT_EQ(summary.ulp_max, 0x1p22);
  EXPECT_EQ(summary.relative_max, 0.5);
}

TEST(ErrorsTest, AreInfiniteWhereNoNumberCameOut) {
  Errors errors;
  errors.add(1.0f, {1.0, 0});
  errors.add(std::nanf(""), {1.0, 0});
  errors.add(to_half(1e6f), {1e6, 0});
  const ErrorSummary summary(uniform, errors);
  EXPECT_TRUE(std::isinf(summary.ulp_max));
  EXPECT_TRUE(std::isinf(summary.relative_max));
  EXPECT_TRUE(std::isinf(summary.ulp_median));
}

TEST(ChooseRows, TakesAllOrSpreadsThemEvenly) {
  const auto at = [](const Band& band) { return std::pair(band.first, band.count); };
  EXPECT_EQ(at(choose_rows(0, 10).at(0)), at({0, 0}));
  EXPECT_EQ(at(choose_rows(10, 10).at(0)), at({0, 10}));
  EXPECT_EQ(at(choose_rows(10, 0).at(0)), at({0, 1}));
  EXPECT_EQ(at(choose_rows(1'000'000, 1).at(0)), at({0, 1}));
  for (const auto& [rows, most] :
       {std::pair<std::size_t, std::size_t>{11, 10}, {8192, 128}, {1 << 28, 1 << 20}, {100, 33}}) {
    const auto all = choose_rows(rows, most);
    std::size_t count = 0, end = 0;
    for (const Band& band : all) {
      EXPECT_GE(band.first, end);
      end = band.first + band.count;
      count += band.count;
    }
    EXPECT_EQ(all.front().first, 0u);
    EXPECT_EQ(end, rows);
    EXPECT_LE(count, most);
    EXPECT_GT(2 * count, most);
  }
}

/// Errors of a sum of 2^20 numbers by `sum`.
ErrorSummary errors_of(Distribution distribution, float (*sum)(std::span<const float>)) {
  const Point point =
      product(ReduceSum::axes(), {{std::int64_t{1} << 20}, {std::int64_t{0}}, {"f32"}, {"sum"}}).front();
  ReduceSum problem(*open_host_device(), point, 5, 1);
  Errors errors;
  for (std::uint64_t draw = 0; draw < 4; ++draw) {
    EXPECT_TRUE(problem.refill_general(distribution, draw));
    problem.args(0).f32().out[0] = sum(problem.args(0).f32().in);
    errors.add(problem.errors(ResultIn::device));
  }
  return {distribution, errors};
}

float serial(std::span<const float> in) {
  float sum = 0;
  for (const float x : in) sum += x;
  return sum;
}
float pairwise(std::span<const float> in) {
  if (in.size() == 1) return in[0];
  return pairwise(in.first(in.size() / 2)) + pairwise(in.subspan(in.size() / 2));
}
float in_double(std::span<const float> in) { return static_cast<float>(std::accumulate(in.begin(), in.end(), 0.0)); }

TEST(Accuracy, TellsSerialFromPairwiseSums) {
  for (const Distribution distribution : distributions) {
    const ErrorSummary one_by_one = errors_of(distribution, serial), tree = errors_of(distribution, pairwise);
    EXPECT_GT(one_by_one.ulp_median, 10 * tree.ulp_median) << to_string(distribution);
    EXPECT_LE(errors_of(distribution, in_double).ulp_max, 0.51) << to_string(distribution);
    if (distribution == positive) {
      EXPECT_GT(one_by_one.ulp_median, 10);
      EXPECT_LT(tree.ulp_max, 4);
    } else if (distribution == ill_conditioned) {  // as many digits are lost as the condition has
      EXPECT_GT(tree.relative_median, 1e-4);
    }
  }
}

TEST(Accuracy, IsOfResultsOnTheHostToo) {
  const Point point = product(ReduceSum::axes(), {{std::int64_t{100}}, {std::int64_t{1}}, {"f64"}, {"sum"}}).front();
  ReduceSum problem(*open_host_device(), point, 5, 1);
  ASSERT_TRUE(problem.refill_general(uniform, 0));
  const auto args = std::get<ReduceSum::Typed<double>>(problem.args(0).typed);
  *args.host_out = std::accumulate(args.in.begin(), args.in.end(), 0.0);
  args.out[0] = *args.host_out + 1;
  EXPECT_LT(problem.errors(ResultIn::host).ulps.at(0), 100);
  EXPECT_GT(problem.errors(ResultIn::device).ulps.at(0), 1e10);
}

TEST(Accuracy, IsOfWhatRounds) {
  for (const auto& [type, op] : {std::pair("i32", "sum"), {"f32", "min"}, {"f64", "max"}}) {
    const Point point = product(ReduceSum::axes(), {{std::int64_t{9}}, {std::int64_t{0}}, {type}, {op}}).front();
    EXPECT_FALSE(ReduceSum(*open_host_device(), point, 5, 1).refill_general(uniform, 0)) << type << op;
  }
}

TEST(Accuracy, IsOfEachRow) {
  constexpr std::int64_t rows = 100, columns = 1000;
  RowSum problem(*open_host_device(), RowSum::point(rows, columns, 1), 5, 1);
  for (const Distribution distribution : distributions) {
    ASSERT_TRUE(problem.refill_general(distribution, 0));
    const RowSum::Args args = problem.args(0);
    for (std::size_t row = 0; row < rows; ++row) args.out[row] = in_double(args.in.subspan(row * columns, columns));
    const ErrorSummary right(distribution, problem.errors(ResultIn::device));
    EXPECT_EQ(right.outputs, std::size_t{rows});
    EXPECT_LE(right.ulp_max, 0.51) << to_string(distribution);
    args.out[rows - 1] *= 1.001f;
    const ErrorSummary wrong(distribution, problem.errors(ResultIn::device));
    EXPECT_NEAR(wrong.relative_max, 1e-3, 1e-6);
    EXPECT_LE(wrong.ulp_median, 0.51);
  }
}

/// C of A·B as a variant of this precision would have it.
template <class Operand, class Sum, class Out>
ErrorSummary errors_of_product(MatmulF16& problem, Distribution distribution, Operand operand, Sum sum, Out out) {
  EXPECT_TRUE(problem.refill_general(distribution, 0));
  const MatmulF16::Args args = problem.args(0);
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float c = 0;
      for (std::size_t l = 0; l < args.k; ++l)
        c = sum(c + operand(args.a[row * args.k + l]) *
                        operand(args.b[args.b_transposed ? column * args.k + l : l * args.n + column]));
      out(args, row * args.n + column, c);
    }
  return {distribution, problem.errors(ResultIn::device)};
}

TEST(Accuracy, TellsSumsIn16BitsFromSumsInFloat) {
  const auto plain = [](float c) { return c; };
  const auto narrow = [](float c) { return to_float(to_half(c)); };
  const auto operand = [](std::uint16_t bits) { return to_float(Half{bits}); };
  const auto to_c = [](const MatmulF16::Args& args, std::size_t i, float c) { args.c_as<Half>()[i] = to_half(c); };
  for (const char* layout : {"nn", "tn"}) {
    MatmulF16 problem(*open_host_device(), MatmulF16::point({40, 24, 600}, layout, "f16", "same"), 5, 1);
    for (const Distribution distribution : {uniform, positive}) {
      const ErrorSummary in_float = errors_of_product(problem, distribution, operand, plain, to_c);
      EXPECT_EQ(in_float.outputs, 960u);
      EXPECT_LT(in_float.ulp_median, 0.5) << layout;
      EXPECT_GT(errors_of_product(problem, distribution, operand, narrow, to_c).ulp_median, 2) << layout;
    }
    // Of a condition of 10^6 even float keeps little, and 16 bits nothing.
    EXPECT_GT(errors_of_product(problem, ill_conditioned, operand, narrow, to_c).relative_median, 1) << layout;
  }
}

TEST(Accuracy, TellsTf32FromFloat) {
  MatmulF32 problem(*open_host_device(), MatmulF32::point({30, 40, 500}), 5, 1);
  const auto median = [&](Distribution distribution, auto operand) {
    EXPECT_TRUE(problem.refill_general(distribution, 0));
    const MatmulF32::Args args = problem.args(0);
    for (std::size_t row = 0; row < args.m; ++row)
      for (std::size_t column = 0; column < args.n; ++column) {
        float c = 0;
        for (std::size_t l = 0; l < args.k; ++l)
          c += operand(args.a[row * args.k + l]) * operand(args.b[l * args.n + column]);
        args.c[row * args.n + column] = c;
      }
    return ErrorSummary(distribution, problem.errors(ResultIn::device)).ulp_median;
  };
  const auto plain = [](float x) { return x; };
  const auto tf32 = [](float x) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000u) & ~0x1fffu);
  };
  for (const Distribution distribution : {uniform, positive})
    EXPECT_GT(median(distribution, tf32), 20 * median(distribution, plain)) << to_string(distribution);
}

TEST(Accuracy, OfALargeProductIsOfChosenRows) {
  MatmulF32 problem(*open_host_device(), MatmulF32::point({3000, 1000, 2}), 5, 1);
  ASSERT_TRUE(problem.refill_general(positive, 0));
  const MatmulF32::Args args = problem.args(0);
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column)
      args.c[row * args.n + column] = args.a[row * 2] * args.b[column] + args.a[row * 2 + 1] * args.b[args.n + column];
  const ErrorSummary errors(positive, problem.errors(ResultIn::device));
  EXPECT_LE(errors.outputs, most_errors);
  EXPECT_GT(errors.outputs, most_errors / 2);
  EXPECT_LT(errors.ulp_max, 2);
  for (const std::size_t row : {std::size_t{0}, args.m - 1}) args.c[row * args.n] += 1;
  EXPECT_GT(ErrorSummary(positive, problem.errors(ResultIn::device)).relative_max, 0.1);
}

TEST(Accuracy, OfNothingIsNothing) {
  MatmulF32 empty(*open_host_device(), MatmulF32::point({0, 33, 7}), 5, 1);
  ASSERT_TRUE(empty.refill_general(uniform, 0));
  EXPECT_TRUE(empty.errors(ResultIn::device).ulps.empty());
  MatmulF32 zeros(*open_host_device(), MatmulF32::point({3, 5, 0}), 5, 1);
  ASSERT_TRUE(zeros.refill_general(ill_conditioned, 0));
  std::ranges::fill(zeros.args(0).c, 0.0f);
  EXPECT_EQ(ErrorSummary(ill_conditioned, zeros.errors(ResultIn::device)).ulp_max, 0);
}

}  // namespace
}  // namespace crosswarp
