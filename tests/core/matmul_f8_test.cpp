// The 8-bit product's inputs, whose sums are exact in the bits that the accumulation keeps, and its check.
#include "experiments/matmul_f8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/host_device.hpp"
#include "tests/accumulator14.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MatmulF8>);

float element_of_a(const MatmulF8::Args& args, std::size_t i) {
  return args.e5m2 ? to_float(E5m2{args.a[i]}) : to_float(E4m3{args.a[i]});
}

/// A row of A times a column of B, in 14 bits; added to a sum in float after every `interval` products.
float dot(const MatmulF8::Args& args, std::size_t row, std::size_t column, std::size_t interval) {
  float promoted = 0, sum = 0;
  std::vector<float> products(products_at_once);
  for (std::size_t first = 0; first < args.k; first += products_at_once) {
    const std::size_t count = std::min(products_at_once, args.k - first);
    for (std::size_t l = 0; l < count; ++l)
      products[l] = element_of_a(args, row * args.k + first + l) * to_float(E4m3{args.b[column * args.k + first + l]});
    sum = add_in_14_bits(sum, products.data(), count);
    if ((first + products_at_once) % interval == 0) promoted += std::exchange(sum, 0.0f);
  }
  return promoted + sum;
}

float factor_of_a(const MatmulF8::Args& args) { return args.scales[0]; }
float factor_of_b(const MatmulF8::Args& args) { return args.scales[MatmulF8::factor_pitch]; }
float scale_of(const MatmulF8::Args& args) { return args.scales.empty() ? 1 : factor_of_a(args) * factor_of_b(args); }

void store(const MatmulF8::Args& args, std::size_t i, float c) {
  if (args.f32_out)
    args.c_as<float>()[i] = c;
  else
    args.c_as<Bfloat16>()[i] = to_bfloat16(c);
}

/// One set of results by dot(), which tests may corrupt.
struct Product {
  explicit Product(const Point& point, std::size_t interval) : problem(*open_host_device(), point, 5, 1) {
    problem.refill(0);
    problem.poison();
    const MatmulF8::Args args = this->args();
    for (std::size_t i = 0; i < args.m * args.n; ++i)
      store(args, i, scale_of(args) * dot(args, i / args.n, i % args.n, interval));
  }
  MatmulF8::Args args() const { return problem.args(0); }
  Verdict check() const { return problem.check(ResultIn::device); }

  MatmulF8 problem;
};

constexpr std::size_t never = std::size_t{1} << 40;

TEST(Accumulator14, KeepsFourteenBits) {
  const auto add = [](float sum, float product) { return add_in_14_bits(sum, &product, 1); };
  EXPECT_EQ(add(0, 0), 0);
  EXPECT_EQ(add(64, 0x1p-7f), 64 + 0x1p-7f);
  EXPECT_EQ(add(64, 0x1p-8f), 64);
  EXPECT_EQ(add(64, -0x1.8p-7f), 64 - 0x1p-7f);
  EXPECT_EQ(add(0x1p-8f, 0.75f), 0.75f + 0x1p-8f);
}

TEST(MatmulF8Inputs, HaveTheBitsThatTheAccumulationKeeps) {
  const auto bits = [](std::size_t k, bool e5m2, bool promoted) {
    const MatmulF8::InputBits all = MatmulF8::input_bits(k, e5m2, promoted);
    return std::pair(all.a, all.b);
  };
  for (const std::size_t k : {0, 1, 512, 576, 8192, 1 << 21}) {
    EXPECT_EQ(bits(k, false, true), std::pair(4, 4)) << k;
    EXPECT_EQ(bits(k, true, true), std::pair(3, 4)) << k;
  }
  EXPECT_EQ(bits(576, false, false), std::pair(4, 4));
  EXPECT_EQ(bits(577, false, false), std::pair(3, 4));
  EXPECT_EQ(bits(4096, false, false), std::pair(3, 3));
  EXPECT_EQ(bits(4096, true, false), std::pair(3, 3));
  EXPECT_EQ(bits(8192, false, false), std::pair(3, 3));
  EXPECT_EQ(bits(1 << 21, false, false), std::pair(1, 1));
}

TEST(MatmulF8, FastSumsAreExactInFourteenBits) {
  for (const char* type : {"e4m3", "e5m2"})
    for (const std::size_t k : {33, 576, 2304, 8192, 20'000}) {
      const Product product(MatmulF8::point({17, 19, k}, type, "f32", "none", "fast"), never);
      EXPECT_TRUE(product.check().ok) << type << " " << k;
      EXPECT_EQ(product.check().error, 0) << type << " " << k;
    }
}

TEST(MatmulF8, PromotedSumsAreExactOnlyIfTheyArePromoted) {
  for (const char* type : {"e4m3", "e5m2"}) {
    const Point point = MatmulF8::point({16, 16, 16'384}, type, "f32", "none", "promoted");
    EXPECT_TRUE(Product(point, 128).check().ok) << type;
    EXPECT_TRUE(Product(point, MatmulF8::max_in_14_bits).check().ok) << type;
    EXPECT_FALSE(Product(point, never).check().ok) << type;
  }
}

TEST(MatmulF8, IsWrongWithoutEitherFactor) {
  for (const char* out : {"bf16", "f32"}) {
    const Product product(MatmulF8::point({33, 20, 65}, "e4m3", out, "tensor", "promoted"), 128);
    EXPECT_TRUE(product.check().ok) << out << ": " << product.check().where;
    const MatmulF8::Args args = product.args();
    for (const float factor : {1.0f, factor_of_a(args), factor_of_b(args)}) {
      for (std::size_t i = 0; i < args.m * args.n; ++i) store(args, i, factor * dot(args, i / args.n, i % args.n, 128));
      EXPECT_FALSE(product.check().ok) << out;
    }
  }
}

TEST(MatmulF8, FactorsDifferBySetAndGeneration) {
  MatmulF8 problem(*open_host_device(), MatmulF8::point({3, 5, 7}, "e4m3", "f32", "tensor", "fast"), 5, 2);
  std::vector<float> seen;
  for (const std::uint64_t generation : {0, 1}) {
    problem.refill(generation);
    for (const std::size_t set : {0, 1})
      for (const auto factor_of : {factor_of_a, factor_of_b}) seen.push_back(factor_of(problem.args(set)));
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_GT(seen.front(), 2);
  EXPECT_LT(seen.back(), 4);
}

TEST(MatmulF8, IsWrongWhereOneProductIsMissing) {
  for (const char* type : {"e4m3", "e5m2"}) {
    const Product product(MatmulF8::point({9, 11, 300}, type, "f32", "none", "fast"), never);
    const MatmulF8::Args args = product.args();
    float& c = args.c_as<float>()[5 * args.n + 3];
    c -= element_of_a(args, 5 * args.k + 299) * to_float(E4m3{args.b[3 * args.k + 299]});
    EXPECT_FALSE(product.check().ok);
    EXPECT_NE(product.check().where.find("row 5, column 3"), std::string::npos) << product.check().where;
  }
}

TEST(MatmulF8, IsWrongWhereCIsTruncatedToBfloat16) {
  const Product product(MatmulF8::point({40, 40, 300}, "e4m3", "bf16", "tensor", "fast"), never);
  const MatmulF8::Args args = product.args();
  for (std::size_t i = 0; i < args.m * args.n; ++i) {
    const float c = scale_of(args) * dot(args, i / args.n, i % args.n, never);
    args.c_as<Bfloat16>()[i] = {static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(c) >> 16)};
  }
  EXPECT_FALSE(product.check().ok);
}

TEST(MatmulF8, AccuracyTellsFastFromPromoted) {
  MatmulF8 problem(*open_host_device(), MatmulF8::point({8, 8, 8192}, "e4m3", "f32", "tensor", "fast"), 5, 1);
  const auto median = [&](Distribution distribution, std::size_t interval) {
    EXPECT_TRUE(problem.refill_general(distribution, 1));
    const MatmulF8::Args args = problem.args(0);
    for (std::size_t i = 0; i < args.m * args.n; ++i)
      store(args, i, scale_of(args) * dot(args, i / args.n, i % args.n, interval));
    return ErrorSummary(distribution, problem.errors(ResultIn::device)).relative_median;
  };
  for (const Distribution distribution : {Distribution::uniform, Distribution::positive})
    EXPECT_GT(median(distribution, never), 4 * median(distribution, 128)) << to_string(distribution);
  EXPECT_FALSE(problem.refill_general(Distribution::ill_conditioned, 1));
}

}  // namespace
}  // namespace crosswarp
