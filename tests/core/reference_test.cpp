// References on the host against plain loops in long double, and comparisons that miss no element.
#include "core/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/host_device.hpp"
#include "core/reference_cache.hpp"
#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

template <class T>
std::vector<T> elements(std::size_t n, std::uint64_t stream, int bits) {
  std::vector<T> made(n);
  fill_elements(std::span(made), {Lattice{RandomStream(9, stream), bits}});
  return made;
}

template <class T>
class ReferenceGemm : public testing::Test {};
using OperandTypes = testing::Types<float, double, Half, Bfloat16>;
TYPED_TEST_SUITE(ReferenceGemm, OperandTypes);

TYPED_TEST(ReferenceGemm, IsThePlainSumInLongDoubleAtAnyShape) {
  constexpr int bits = std::same_as<TypeParam, Half> ? 11 : std::same_as<TypeParam, Bfloat16> ? 8 : 20;
  for (const auto& [m, n, k] :
       {std::array<std::size_t, 3>{1, 1, 1}, {3, 5, 0}, {33, 129, 31}, {32, 128, 32}, {65, 257, 70}, {2, 300, 1031}})
    for (const bool transposed : {false, true}) {
      auto a = elements<TypeParam>(m * k, 0, bits), b = elements<TypeParam>(k * n, 1, bits);
      const Gemm gemm{std::span(a), std::span(b), m, n, k, transposed};
      std::vector<double> c(m * n, NAN);
      std::vector<float> rounded(m * n, NAN);
      open_host_device()->reference_gemm(gemm, std::span(c));
      open_host_device()->reference_gemm(gemm, std::span(rounded));
      for (std::size_t row = 0; row < m; ++row)
        for (std::size_t column = 0; column < n; ++column) {
          long double sum = 0;
          for (std::size_t l = 0; l < k; ++l)
            sum += static_cast<long double>(to_double(a[row * k + l])) *
                   to_double(b[transposed ? column * k + l : l * n + column]);
          const std::size_t i = row * n + column;
          ASSERT_NEAR(c[i], static_cast<double>(sum), 1e-13 * static_cast<double>(k)) << m << " " << n << " " << k;
          ASSERT_EQ(rounded[i], static_cast<float>(c[i]));
        }
    }
}

TEST(ReferenceGemm, IsOfTheOperandsThatAreThereNow) {
  constexpr std::size_t n = 64;  // large enough to be remembered
  auto a = elements<float>(n * n, 0, 24), b = elements<float>(n * n, 1, 24);
  std::vector<double> before(n * n), after(n * n), transposed(n * n);
  reference_gemm({std::span(a), std::span(b), n, n, n}, std::span(before));
  reference_gemm({std::span(a), std::span(b), n, n, n, true}, std::span(transposed));
  EXPECT_NE(before, transposed);
  std::swap(a[5], a[6]);
  reference_gemm({std::span(a), std::span(b), n, n, n}, std::span(after));
  EXPECT_NEAR(after[0] - before[0], (double{a[5]} - a[6]) * (double{b[5 * n]} - b[6 * n]), 1e-12);
}

TEST(ReferenceRowSums, AreExactFromAnyElementOn) {
  for (const auto& [rows, columns, first] :
       {std::array<std::size_t, 3>{1, 0, 0}, {1, 1, 7}, {3, 33, 100}, {300, 40, 1}, {2, 70'000, 5}, {1000, 3, 0}}) {
    const Lattice lattice{RandomStream(3, 1), exact_bits(columns)};
    for (const bool by_columns : {false, true}) {
      std::vector<float> sums(rows);
      std::vector<double> in_double(rows);
      const LatticeRows matrix =
          by_columns ? LatticeRows{first, columns, 1, rows} : LatticeRows::contiguous(first, columns);
      open_host_device()->reference_row_sums(lattice, matrix, std::span(sums));
      open_host_device()->reference_row_sums(lattice, matrix, std::span(in_double));
      for (std::size_t row = 0; row < rows; ++row) {
        long double sum = 0;
        for (std::size_t i = 0; i < columns; ++i)
          sum += lattice(by_columns ? first + i * rows + row : first + row * columns + i);
        ASSERT_EQ(sums[row], sum) << rows << " " << columns;
        ASSERT_EQ(in_double[row], sum);
      }
    }
  }
}

TEST(CompareElements, FindsTheLargestShareOfABoundAndCountsAllThatAreBeyond) {
  std::vector<float> is(1000), should_be(1000, 2);
  std::ranges::fill(is, 2.0f);
  const ErrorBound bound{.of_sum = 0.5, .of_rounding = 0.25};  // 1 at 2
  const auto compare = [&] { return open_host_device()->compare(std::span(is), std::span(should_be), bound); };
  EXPECT_EQ(compare().worst.share, 0);
  EXPECT_EQ(compare().worst.index, 0u);
  is[700] = 2.5f;
  EXPECT_EQ(compare().worst.share, 0.5);
  EXPECT_EQ(compare().worst.beyond, 0u);
  is[300] = 3.0f;  // on its bound
  EXPECT_EQ(compare().worst.beyond, 0u);
  is[999] = 4.0f;
  is[5] = 0.5f;
  const Comparison found = compare();
  EXPECT_EQ(found.worst.index, 999u);
  EXPECT_EQ(found.worst.share, 2);
  EXPECT_EQ(found.worst.beyond, 2u);
  EXPECT_EQ(found.is, 4);
  EXPECT_EQ(found.should_be, 2);
}

TEST(CompareElements, HasNaNsAndInfinitiesBeyondEveryBound) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float wrong : {std::nanf(""), infinity, -infinity})
    for (const std::size_t at : {0u, 17u, 99u}) {
      std::vector<float> is(100, 1), should_be(100, 1);
      is[50] = 1e30f;
      is[at] = wrong;
      const Comparison found = compare_elements(std::span(is), std::span(should_be), {1e300, 1e300});
      EXPECT_EQ(found.worst.beyond, 1u) << wrong;
      EXPECT_EQ(found.worst.index, at) << wrong;
    }
}

TEST(CompareElements, TakesTheLargestErrorWhereNoneIsAllowed) {
  std::vector<std::int32_t> is{1, 2, 3, 4};
  std::vector<double> should_be{1, 3, 0, 4};
  const Comparison found = compare_elements(std::span(is), std::span(should_be), {});
  EXPECT_EQ(found.worst.index, 2u);
  EXPECT_EQ(found.worst.beyond, 2u);
  is.pop_back();
  EXPECT_THROW(compare_elements(std::span(is), std::span(should_be), {}), Error);
}

/// References of `rows` × 4 elements: row + generation / 8.
struct Cache {
  explicit Cache(std::size_t rows_, std::size_t sets = 1)
      : rows(rows_),
        results(sets),
        cache(*device, sets, rows, 4, [this](std::size_t set, std::size_t first_row, std::span<float> to) {
          ++made;
          for (std::size_t i = 0; i < to.size(); ++i) to[i] = right(set, first_row * 4 + i);
        }) {}

  float right(std::size_t set, std::size_t i) const {
    return static_cast<float>(1000 * set + i / 4) + static_cast<float>(filled) / 8;
  }
  void fill(std::uint64_t generation) {
    filled = generation;
    cache.keep(generation);
    for (std::size_t set = 0; set < results.size(); ++set) {
      results[set].resize(rows * 4);
      for (std::size_t i = 0; i < rows * 4; ++i) results[set][i] = right(set, i);
    }
  }
  Verdict check() {
    std::vector<TypedSpan> spans(results.begin(), results.end());
    return cache.check(filled, spans, {}, [](std::size_t i) { return "element " + std::to_string(i); });
  }

  std::shared_ptr<fake::FakeDevice> device = fake::make_device();
  std::size_t rows;
  std::uint64_t filled = 0;
  int made = 0;
  std::vector<std::vector<float>> results;
  ReferenceCache cache;
};

TEST(ReferenceCache, MakesEachGenerationOnce) {
  Cache c(8, 2);
  for (const std::uint64_t generation : {0, 1, 2, 1, 0, 2}) {
    c.fill(generation);
    EXPECT_TRUE(c.check().ok) << c.check().where;
  }
  EXPECT_EQ(c.made, 3 * 2);
}

TEST(ReferenceCache, NamesTheWorstElementAndItsSet) {
  Cache c(8, 3);
  c.fill(1);
  c.results[1][5] += 1;
  c.results[2][7] += 4;
  const Verdict verdict = c.check();
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.error, 4);
  EXPECT_EQ(verdict.where, "element 7 of input 2 is 2005.125, should be 2001.125, the worst of 2 in 96");
  c.results[0][31] = std::nanf("");
  EXPECT_TRUE(std::isnan(c.check().error));
  EXPECT_NE(c.check().where.find("element 31 of input 0"), std::string::npos);
}

TEST(ReferenceCache, LetsTheOldestGenerationGoWhereMemoryIsShort) {
  Cache c(1000);
  const std::size_t one = 1000 * 4 * sizeof(float) + 2 * Buffer<float>::guard;
  c.device->free = [&] { return (3 - static_cast<std::size_t>(c.device->allocations)) * one; };  // two, and a spare one
  c.fill(0);
  EXPECT_TRUE(c.cache.holds(0));
  c.fill(1);
  EXPECT_TRUE(c.cache.holds(0));
  EXPECT_TRUE(c.cache.holds(1));
  c.fill(2);
  EXPECT_FALSE(c.cache.holds(0));
  EXPECT_TRUE(c.cache.holds(2));
  EXPECT_TRUE(c.check().ok);
  c.fill(0);
  EXPECT_TRUE(c.check().ok);
  EXPECT_EQ(c.made, 4);
}

TEST(ReferenceCache, ComparesSomeRowsAtATimeWhereNoGenerationFits) {
  Cache c(100);
  c.device->free = [] { return std::size_t{2000}; };  // a quarter is 31 rows
  c.fill(3);
  EXPECT_FALSE(c.cache.holds(3));
  EXPECT_EQ(c.device->allocations, 0);
  EXPECT_TRUE(c.check().ok) << c.check().where;
  EXPECT_EQ(c.made, 4);
  c.results[0][399] = 0;
  c.results[0][250] = 0;
  EXPECT_EQ(c.check().where, "element 399 of input 0 is 0, should be 99.375, the worst of 2 in 400");
  EXPECT_EQ(c.device->allocations, 0);
}

}  // namespace
}  // namespace crosswarp
