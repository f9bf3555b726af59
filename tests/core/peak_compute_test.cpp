// Oracle of peak_compute: every step shows in the end, in each type; every valid rounding is right.
#include "experiments/peak_compute.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "core/host_device.hpp"
#include "experiments/chain_steps.hpp"
#include "tests/core/sentences.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<PeakCompute>);
using Type = PeakCompute::Type;

template <class T, class Step>
void run(const PeakCompute::Args& args, std::int64_t steps, const Step& step) {
  for (std::size_t c = 0; c < args.chains; ++c) {
    T x = args.starts_as<T>()[c % PeakCompute::start_count];
    for (std::int64_t s = 0; s < steps; ++s) x = step(x);
    args.ends_as<T>()[c] = x;
  }
}

void run_halves(const PeakCompute::Args& args, const HalfPair& pair, std::int64_t steps) {
  const auto table = pair.steps();
  for (std::size_t c = 0; c < args.chains; ++c)
    args.ends_as<std::uint32_t>()[c] =
        pair.end(args.starts_as<std::uint32_t>()[c % PeakCompute::start_count], steps, table);
}

/// Plain loops over decoded operands.
void run_tiles(const PeakCompute::Args& args, std::int64_t steps) {
  const auto [rows, columns, depth] = PeakCompute::tile(args.type);
  const auto element = [&](std::span<const std::byte> from, std::size_t i) -> double {
    const auto word = [&](auto value) {
      std::memcpy(&value, from.data() + i * sizeof value, sizeof value);
      return value;
    };
    switch (args.type) {
      case Type::tensor_f16:
        return f16_format.decoded(word(std::uint16_t{}));
      case Type::tensor_bf16:
        return bf16_format.decoded(word(std::uint16_t{}));
      case Type::tensor_tf32:
        return word(float{});
      case Type::tensor_fp8:
        return e4m3_format.decoded(word(std::uint8_t{}));
      case Type::tensor_int8:
        return word(std::int8_t{});
      default:
        return word(double{});
    }
  };
  std::vector<double> products(PeakCompute::slabs * rows * columns);
  for (std::size_t s = 0; s < PeakCompute::slabs; ++s)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        for (std::size_t k = 0; k < depth; ++k) {
          const double a = element(args.operand_a, (s * rows + r) * depth + k),
                       b = element(args.operand_b, c * depth + k);
          ASSERT_NE(a, 0);
          ASSERT_NE(b, 0);
          products[(s * rows + r) * columns + c] += a * b;
        }
  for (std::size_t t = 0; t < args.chains; ++t) {
    std::vector<double> sums(rows * columns);
    for (std::int64_t s = 0; s < steps; ++s)
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += products[(t + std::size_t(s)) % PeakCompute::slabs * sums.size() + i];
        ASSERT_TRUE(args.type != Type::tensor_fp8 || std::abs(sums[i]) < 1 << 13);  // bits of Hopper's fp8 accumulators
      }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t at = t * sums.size() + i;
      if (args.type == Type::tensor_f64)
        args.ends_as<double>()[at] = sums[i];
      else if (args.type == Type::tensor_int8)
        args.ends_as<std::int32_t>()[at] = static_cast<std::int32_t>(sums[i]);
      else
        args.ends_as<float>()[at] = static_cast<float>(sums[i]);
    }
  }
}

void run(const PeakCompute::Args& args, std::int64_t steps) {
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  if (PeakCompute::is_tensor(args.type)) return run_tiles(args, steps);
  switch (args.type) {
    case Type::f32:
      return run<float>(args, steps, [&](float x) { return std::fmaf(x, a, b); });
    case Type::f64:
      return run<double>(args, steps, [&](double x) { return std::fma(x, args.a, args.b); });
    case Type::f16x2:
      return run_halves(args, f16_pair, steps);
    case Type::bf16x2:
      return run_halves(args, bf16_pair, steps);
    case Type::i32:
      return run<std::uint32_t>(args, steps, [&](std::uint32_t x) {
        return static_cast<std::uint32_t>(args.a) * x + static_cast<std::uint32_t>(args.b);
      });
    default:
      return run<float>(args, steps, [&](float x) { return b - 1 / x; });
  }
}

class ChainsOf : public testing::TestWithParam<int> {
 protected:
  Type type() const { return Type(GetParam()); }
  std::int64_t steps() const { return PeakCompute::is_tensor(type()) ? 64 : 2048; }
  PeakCompute problem{*open_host_device(), PeakCompute::at(type(), PeakCompute::is_tensor(type()) ? 5 : 130, steps()),
                      3, 2};
  Verdict after(std::int64_t taken) {
    problem.refill(0);
    problem.poison();
    for (const std::size_t set : {0, 1}) run(problem.args(set), taken);
    return problem.check(ResultIn::device);
  }
};

TEST_P(ChainsOf, AreRightAfterAllSteps) {
  const Verdict verdict = after(steps());
  EXPECT_TRUE(verdict.ok) << verdict.where;
}

TEST_P(ChainsOf, AreWrongAfterAnyOtherNumberOfSteps) {
  for (const std::int64_t fewer : {1, 2, 3, 4, 5, 8, 13, 16, 32, 64, 128, 256, 512, 1024}) {
    if (fewer >= steps() || (PeakCompute::is_half(type()) && fewer % PeakCompute::half_step_multiple)) continue;
    EXPECT_FALSE(after(steps() - fewer).ok) << fewer;
    EXPECT_FALSE(after(steps() + fewer).ok) << fewer;
  }
}

TEST_P(ChainsOf, AreWrongIfNotComputedAtAll) {
  problem.poison();
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
}

TEST_P(ChainsOf, AreAllChecked) {
  for (const std::size_t at : {0ul, 1ul, 70ul}) {
    ASSERT_TRUE(after(steps()).ok);
    auto ends = problem.args(1).ends;
    ends[ends.size() - 4 - 4 * at] ^= std::byte{0x80};
    ends[ends.size() - 1 - 4 * at] ^= std::byte{0x04};
    EXPECT_FALSE(problem.check(ResultIn::device).ok) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, ChainsOf, testing::Range(0, int(PeakCompute::type_names.size())), [](const auto& info) {
  return std::string(PeakCompute::type_names[std::size_t(info.param)]);
});

TEST(PeakCompute, AcceptsEachRoundingButNoMixture) {
  PeakCompute problem(*open_host_device(), PeakCompute::at(Type::f32, 100, 1000), 3, 1);
  problem.refill(0);
  const auto args = problem.args(0);
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  for (const Rounding rounding : {Rounding::fused, Rounding::separate, Rounding::through_double}) {
    problem.poison();
    run<float>(args, 1000, [&](float x) { return multiply_add(x, a, b, rounding); });
    EXPECT_TRUE(problem.check(ResultIn::device).ok);
  }
  int step = 0;
  run<float>(args, 1000, [&](float x) { return multiply_add(x, a, b, Rounding(step++ % 2)); });
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
}

TEST(PeakCompute, KeepsValuesOscillatingUpToTheMaxOfSteps) {
  for (const Type type : {Type::f32, Type::f64}) {
    PeakCompute problem(*open_host_device(), PeakCompute::at(type, 64, 1 << 20), 3, 1);
    problem.refill(0);
    for (const std::int64_t steps : {(1 << 20) - 2, 1 << 20}) {
      run(problem.args(0), steps);
      EXPECT_EQ(problem.check(ResultIn::device).ok, steps == 1 << 20);
    }
    const double end = type == Type::f32 ? problem.args(0).ends_as<float>()[5] : problem.args(0).ends_as<double>()[5];
    EXPECT_GT(std::abs(end - 0.375), 0.03);  // it still oscillates
    EXPECT_LT(std::abs(end - 0.375), 1.5);
  }
}

TEST(PeakCompute, KeepsAccumulatorsOfFp8WithinThirteenBits) {
  PeakCompute problem(*open_host_device(), PeakCompute::at(Type::tensor_fp8, 1, PeakCompute::most_tensor_steps), 3, 1);
  problem.refill(0);
  run(problem.args(0), PeakCompute::most_tensor_steps);
  EXPECT_TRUE(problem.check(ResultIn::device).ok);
}

TEST(PeakCompute, ExistsForMultiplesOfTheTypesSteps) {
  const auto exists = [](Type type, std::int64_t chains, std::int64_t steps) {
    return PeakCompute::exists(PeakCompute::at(type, chains, steps));
  };
  EXPECT_TRUE(exists(Type::f32, 0, 0));
  EXPECT_FALSE(exists(Type::f32, 4096, 0));
  EXPECT_TRUE(exists(Type::f32, 4096, 1000));
  EXPECT_FALSE(exists(Type::f16x2, 4096, 1000));
  EXPECT_TRUE(exists(Type::f16x2, 4096, 1024));
  EXPECT_FALSE(exists(Type::tensor_f16, 0, 1000));
  EXPECT_FALSE(exists(Type::tensor_f16, 0, 16384));
  EXPECT_FALSE(exists(Type::special, 0, 1 << 17));
  for (const TestPoint& test : PeakCompute::test_points()) EXPECT_TRUE(PeakCompute::exists(test.point));
  for (const CeilingPoint& ceiling : PeakCompute::ceilings()) {
    EXPECT_TRUE(PeakCompute::exists(ceiling.point));
    EXPECT_EQ(PeakCompute::cost(ceiling.point).ceiling, ceiling.ceiling);
    EXPECT_GT(PeakCompute::cost(ceiling.point).flops, 6e9);
  }
}

TEST(PeakCompute, CountsAMultiplyAddAsTwo) {
  EXPECT_EQ(PeakCompute::cost(PeakCompute::at(Type::f32, 10, 100)).flops, 2000);
  EXPECT_EQ(PeakCompute::cost(PeakCompute::at(Type::bf16x2, 10, 512)).flops, 4 * 5120);
  EXPECT_EQ(PeakCompute::cost(PeakCompute::at(Type::special, 10, 100)).flops, 1000);
  EXPECT_EQ(PeakCompute::cost(PeakCompute::at(Type::tensor_f16, 2, 16)).flops, 2.0 * 64 * 256 * 16 * 32);
}

TEST(PeakCompute, FindsOperationsPerCycle) {
  const Point point = PeakCompute::at(Type::f32, 0, 0);
  const Cost cost = PeakCompute::cost(point);
  const auto outcome = [&](const char* rung, double rate, double share_of_block) {
    const double seconds = cost.flops / rate;
    return Outcome{rung,
                   point,
                   seconds,
                   cost,
                   {{"sm_clock", 1980}, {"cycles", share_of_block * seconds * 1980e6}, {"multiprocessors", 132}}};
  };
  const auto lines = sentences(PeakCompute::findings({outcome("slow", 30e12, 1),
                                                      outcome("fast", 66e12, 1),
                                                      outcome("in waves of blocks", 60e12, 0.5),
                                                      {"unknown", point, cost.flops / 99e12, cost, {}}}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "f32: 252.5 operations per cycle and multiprocessor, at 1980 MHz, by fast");
}

TEST(HalfFormats, RoundTripAndRoundToEven) {
  for (const Format& format : {f16_format, bf16_format, e4m3_format})
    for (std::uint32_t word = 1; word < 1u << (format.bits - 1); word += 7) {
      EXPECT_EQ(format.encoded(format.decoded(word)), word);
      EXPECT_EQ(format.rounded(format.decoded(word)), format.decoded(word));
    }
  EXPECT_EQ(f16_format.encoded(1.0), 0x3c00u);
  EXPECT_EQ(f16_format.encoded(-2.0), 0xc000u);
  EXPECT_EQ(bf16_format.encoded(1.5), 0x3fc0u);
  EXPECT_EQ(e4m3_format.encoded(-3.0), 0xc4u);
  EXPECT_EQ(f16_format.rounded(2049.0), 2048.0);
  EXPECT_EQ(f16_format.rounded(2051.0), 2052.0);
}

}  // namespace
}  // namespace crosswarp
