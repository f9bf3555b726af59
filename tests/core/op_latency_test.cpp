// Oracle of op_latency, and cycles per operation from two timed runs.
#include "experiments/op_latency.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/host_device.hpp"
#include "tests/core/sentences.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<OpLatency>);
using Op = OpLatency::Op;

float number(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

/// On the host a warp has one lane.
void run(const OpLatency::Args& args, std::int64_t steps) {
  std::uint64_t x = args.starts[0];
  std::uint32_t word = 1;
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  for (std::int64_t s = 0; s < steps; ++s) switch (args.op) {
      case Op::fma_f32:
        x = bits(std::fmaf(number(x), a, b));
        break;
      case Op::fma_f64:
        x = std::bit_cast<std::uint64_t>(std::fma(std::bit_cast<double>(x), args.a, args.b));
        break;
      case Op::mad_i32:
        x = static_cast<std::uint32_t>(x * 1664525u + 1013904223u);
        break;
      case Op::add_f32:
        x = bits(number(x) + 1);
        break;
      case Op::rcp:
        x = bits(b - 1 / number(x));
        break;
      case Op::sqrt:
        x = bits(number(x) + std::sqrt(number(x)));
        break;
      case Op::sin:
        x = bits(std::sin(number(x)));
        break;
      default: {
        const std::uint32_t old = word;
        word += static_cast<std::uint32_t>(x);
        x = old;
      }
    }
  args.ends[0] = x;
}

TEST(OpLatency, IsWrongASixtyFourthOfTheStepsTooFewOrTooMany) {
  for (const Op op :
       {Op::fma_f32, Op::fma_f64, Op::mad_i32, Op::add_f32, Op::rcp, Op::sqrt, Op::sin, Op::atomic_shared})
    for (const std::int64_t steps : {64, 256}) {
      OpLatency problem(*open_host_device(), OpLatency::at(op, steps), 9, 2);
      problem.refill(0);
      const auto after = [&](std::int64_t taken) {
        problem.poison();
        for (const std::size_t set : {0, 1}) run(problem.args(set), taken);
        return problem.check(ResultIn::device);
      };
      const Verdict right = after(4 * steps);
      EXPECT_TRUE(right.ok) << OpLatency::op_names[std::size_t(op)] << ": " << right.where;
      for (const std::int64_t off : {steps / 16, steps / 4, steps}) {
        EXPECT_FALSE(after(4 * steps - off).ok) << OpLatency::op_names[std::size_t(op)] << " " << off;
        EXPECT_FALSE(after(4 * steps + off).ok) << OpLatency::op_names[std::size_t(op)] << " " << off;
      }
      problem.poison();
      EXPECT_FALSE(problem.check(ResultIn::device).ok);
    }
}

TEST(OpLatency, TakesHalfTheStepsWhereItIsShortened) {
  const Point point = OpLatency::at(Op::add_f32, 101);
  EXPECT_EQ(OpLatency::cost(point).left_out, 4 * 51);
  EXPECT_EQ(OpLatency::cost(OpLatency::at(Op::fma_f16x2, 512)).left_out, 0);  // a single round
  EXPECT_EQ(OpLatency::cost(OpLatency::at(Op::fma_f16x2, 3 * 512)).left_out, 4 * 2 * 512);
  OpLatency problem(*open_host_device(), point, 9, 1);
  problem.refill(0);
  for (const bool is_shorter : {true, false}) {
    problem.shorten(is_shorter);
    for (const std::int64_t steps : {50, 101}) {
      problem.poison();
      run(problem.args(0), 4 * steps);
      EXPECT_EQ(problem.check(ResultIn::device).ok, problem.args(0).steps == steps);
    }
  }
}

TEST(OpLatency, TakesTheDifferenceOfItsRuns) {
  OpLatency problem(*open_host_device(), OpLatency::at(Op::fma_f32, 1000), 9, 1);
  problem.refill(0);
  problem.poison();
  EXPECT_TRUE(problem.observe().empty());
  problem.args(0).elapsed[0] = {4100, 2000};
  problem.args(0).elapsed[1] = {8100, 4000};
  const auto observed = problem.observe();
  ASSERT_EQ(observed.size(), 1u);  // two microseconds are too short for the timer
  EXPECT_EQ(observed[0].name, "cycles_per_op");
  EXPECT_DOUBLE_EQ(observed[0].value, 4);
  problem.args(0).elapsed[1].nanoseconds = 102'000;
  ASSERT_EQ(problem.observe().size(), 2u);
  EXPECT_DOUBLE_EQ(problem.observe()[1].value, 100);
}

TEST(OpLatency, ExistsWhereTheBoundHidesNoStep) {
  EXPECT_FALSE(OpLatency::exists(OpLatency::at(Op::fma_f16x2, 100)));
  EXPECT_TRUE(OpLatency::exists(OpLatency::at(Op::fma_f16x2, 0)));
  EXPECT_FALSE(OpLatency::exists(OpLatency::at(Op::sin, 4096)));
  for (const TestPoint& test : OpLatency::test_points()) EXPECT_TRUE(OpLatency::exists(test.point));
}

TEST(OpLatency, SaysCyclesForEachOperation) {
  const Point point = OpLatency::at(Op::shuffle, 0);
  const std::string by_launches(ns_per_step);
  const Cost cost = OpLatency::cost(point);
  const auto lines = sentences(
      OpLatency::findings({{"cuda/op_latency/x", point, 1, cost, {{"cycles_per_op", 23}}},
                           {"cuda/op_latency/y", point, 1, cost, {}},
                           {"cuda/op_latency/z", point, 1, cost, {{"cycles_per_op", 24}, {by_launches, 12.5}}},
                           {"kokkos/op_latency/x", point, 1, cost, {{by_launches, 13.25}}}}));
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "shuffle: 23.0 cycles by cuda/op_latency/x",
                       "shuffle: 24.0 cycles by cuda/op_latency/z, 12.50 ns of launches of two lengths",
                       "shuffle: 13.25 ns by kokkos/op_latency/x, of launches of two lengths",
                   }));
}

}  // namespace
}  // namespace crosswarp
