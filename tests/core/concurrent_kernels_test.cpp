// The oracle of concurrent_kernels accepts only each range's own kernel with all of its steps; its findings.
#include "experiments/concurrent_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<ConcurrentKernels>);

Point concurrent_point(std::int64_t kernels, std::int64_t items, std::int64_t work) {
  return product(ConcurrentKernels::axes(), {{kernels}, {items}, {work}}).front();
}

void solve(const ConcurrentKernels& problem, std::size_t set) {
  const auto args = problem.args(set);
  for (unsigned kernel = 0; kernel < args.kernels; ++kernel)
    for (std::size_t i = 0; i < args.items(); ++i)
      args.out_of(kernel)[i] =
          ConcurrentKernels::chain(args.in_of(kernel)[i], ConcurrentKernels::constant(kernel), args.work);
}

TEST(ConcurrentKernels, IsOkWhereEveryKernelRanOnItsRange) {
  ConcurrentKernels problem(*open_host_device(), concurrent_point(3, 101, 17), 7, 2);
  problem.refill(0);
  problem.poison();
  solve(problem, 0);
  EXPECT_FALSE(problem.check(ResultIn::device).ok);  // the second set is still poison
  solve(problem, 1);
  EXPECT_TRUE(problem.check(ResultIn::device).ok) << problem.check(ResultIn::device).where;
  problem.refill(1);
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
}

TEST(ConcurrentKernels, IsWrongForAStepMoreOrLessAndForAnotherKernel) {
  ConcurrentKernels problem(*open_host_device(), concurrent_point(3, 100, 64), 7, 1);
  problem.refill(0);
  const auto args = problem.args(0);
  for (const auto& [kernel, steps] : {std::pair(1u, 63u), {1u, 65u}, {0u, 64u}, {2u, 64u}}) {
    solve(problem, 0);
    ASSERT_TRUE(problem.check(ResultIn::device).ok);
    args.out[197] = ConcurrentKernels::chain(args.in[197], ConcurrentKernels::constant(kernel), steps);  // 1, 64 steps
    const Verdict verdict = problem.check(ResultIn::device);
    EXPECT_FALSE(verdict.ok) << kernel << " " << steps;
    EXPECT_NE(verdict.where.find("out[197] of kernel 1, input 0"), std::string::npos) << verdict.where;
  }
}

TEST(ConcurrentKernels, StepsArePermutationsOfOneCycle) {
  // Modulo 2^16 the cycle is that of the low bits, since no step carries downwards.
  for (unsigned kernel = 0; kernel < ConcurrentKernels::most_kernels; ++kernel) {
    std::vector<bool> seen(1 << 16);
    std::uint32_t x = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      ASSERT_FALSE(seen[x & 0xffff]) << kernel << " " << i;
      seen[x & 0xffff] = true;
      x = ConcurrentKernels::step(x, ConcurrentKernels::constant(kernel));
    }
  }
}

TEST(ConcurrentKernels, FindsHowManyTimesOneKernelsTimeSeveralTake) {
  std::vector<Outcome> outcomes;
  for (const auto& [kernels, seconds] : {std::pair<std::int64_t, double>{1, 2.0}, {2, 3.0}, {8, 16.0}}) {
    const Point point = concurrent_point(kernels, 4096, 64);
    outcomes.push_back({"cuda/concurrent_kernels/streams", point, seconds, ConcurrentKernels::cost(point), {}});
  }
  const std::vector<Finding> findings = ConcurrentKernels::findings(outcomes);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(
      to_string(findings[0]),
      "cuda/concurrent_kernels/streams, 4096 items, 64 steps: times one kernel's time by kernels: 2: 1.50, 8: 8.00");
  EXPECT_TRUE(ConcurrentKernels::findings({outcomes.begin() + 1, outcomes.end()}).empty());
}

}  // namespace
}  // namespace crosswarp
