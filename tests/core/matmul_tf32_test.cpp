// The TF32 product's bound: passes operands cut or rounded to 11 bits, and tells shorter ones from them.
#include "experiments/matmul_tf32.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<MatmulTf32>);

/// Without the last `bits`.
float cut(float x, int bits) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) >> bits << bits); }
float cut_to_11_bits(float x) { return cut(x, 13); }
float nearest_of_11_bits(float x) {
  return cut_to_11_bits(std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) + 0x1000u));
}
float cut_to_8_bits(float x) { return cut(x, 16); }

using Narrow = float (*)(float);

float product(float a, float b, Narrow narrow) { return narrow(a) * narrow(b); }
float product_of_pairs(float a, float b, Narrow narrow) {
  const float a_high = narrow(a), b_high = narrow(b);
  return a_high * b_high + (a_high * narrow(b - b_high) + narrow(a - a_high) * b_high);
}

/// Whether products by `multiply` are right, for a product of this precision and depth.
Verdict check(const std::string& precision, std::size_t k, const std::function<float(float, float)>& multiply) {
  MatmulTf32 problem(*open_host_device(), MatmulTf32::point({31, 33, k}, precision), 5, 1);
  problem.refill(0);
  problem.poison();
  const MatmulTf32::Args args = problem.args(0);
  for (std::size_t i = 0; i < args.c.size(); ++i) {
    double sum = 0;
    for (std::size_t l = 0; l < k; ++l) sum += multiply(args.a[i / args.n * k + l], args.b[i % args.n * k + l]);
    args.c[i] = static_cast<float>(sum);
  }
  return problem.check(ResultIn::device);
}

class MatmulTf32Bound : public testing::TestWithParam<std::size_t> {};

TEST_P(MatmulTf32Bound, HoldsForOperandsOfElevenBits) {
  for (const Narrow narrow : {cut_to_11_bits, nearest_of_11_bits}) {
    const Verdict verdict = check("tf32", GetParam(), [narrow](float a, float b) { return product(a, b, narrow); });
    EXPECT_TRUE(verdict.ok) << verdict.where;
  }
}

TEST_P(MatmulTf32Bound, HoldsForPairsOfThem) {
  for (const Narrow narrow : {cut_to_11_bits, nearest_of_11_bits}) {
    const Verdict verdict =
        check("3xtf32", GetParam(), [narrow](float a, float b) { return product_of_pairs(a, b, narrow); });
    EXPECT_TRUE(verdict.ok) << verdict.where;
  }
}

TEST_P(MatmulTf32Bound, HoldsForFloats) {
  for (const char* precision : {"tf32", "3xtf32"})
    EXPECT_TRUE(check(precision, GetParam(), [](float a, float b) { return a * b; }).ok) << precision;
}

TEST_P(MatmulTf32Bound, DoesNotHoldForLess) {
  EXPECT_FALSE(check("tf32", GetParam(), [](float a, float b) { return product(a, b, cut_to_8_bits); }).ok);
  EXPECT_FALSE(check("3xtf32", GetParam(), [](float a, float b) { return product(a, b, cut_to_11_bits); }).ok);
}

INSTANTIATE_TEST_SUITE_P(Depths, MatmulTf32Bound, testing::Values(1, 2, 7, 64, 257, 1000));

TEST(MatmulTf32, OfNoDepthIsZero) {
  EXPECT_TRUE(check("tf32", 0, [](float, float) { return 0.0f; }).ok);
  EXPECT_EQ(MatmulTf32::bound(0, true).at(1), 0);
}

}  // namespace
}  // namespace crosswarp
