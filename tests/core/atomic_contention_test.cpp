// Oracle and findings of atomic_contention: each counter must equal the number of its additions.
#include "experiments/atomic_contention.hpp"

#include <gtest/gtest.h>

#include "core/host_device.hpp"

namespace crosswarp {
namespace {

static_assert(ExperimentType<AtomicContention>);

Point point(std::int64_t atomics, std::int64_t addresses, const std::string& type = "u32") {
  return product(AtomicContention::axes(), {{atomics}, {std::int64_t{4}}, {addresses}, {type}, {"global"}}).front();
}

void count(const AtomicContention::Args& args) {
  std::visit(
      [&](auto counters) {
        for (auto& counter : counters) counter = 0;
        for (std::size_t i = 0; i < args.atomics; ++i) counters[i % counters.size()] += 1;
      },
      args.counters);
}

TEST(AtomicContention, IsOkWhereEveryAdditionIsCounted) {
  for (const std::string type : {"u32", "f32"})
    for (const std::int64_t atomics : {1, 5, 1000})
      for (const std::int64_t addresses : {1, 7, 1024}) {
        AtomicContention problem(*open_host_device(), point(atomics, addresses, type), 1, 2);
        problem.poison();
        EXPECT_FALSE(problem.check(ResultIn::device).ok);
        for (const std::size_t set : {0, 1}) count(problem.args(set));
        const Verdict verdict = problem.check(ResultIn::device);
        EXPECT_TRUE(verdict.ok) << verdict.where;
      }
}

TEST(AtomicContention, IsWrongWithAnAdditionLostOrAtAnotherAddress) {
  AtomicContention problem(*open_host_device(), point(1000, 8), 1, 1);
  count(problem.args(0));
  const auto counters = std::get<std::span<std::uint32_t>>(problem.args(0).counters);
  --counters[3];
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
  EXPECT_NE(problem.check(ResultIn::device).where.find("counter 3"), std::string::npos);
  ++counters[4];
  EXPECT_FALSE(problem.check(ResultIn::device).ok);
}

TEST(AtomicContention, LimitsFloatsToTheIntegersThatTheyHold) {
  EXPECT_TRUE(AtomicContention::exists(point(1 << 24, 1, "f32")));
  EXPECT_FALSE(AtomicContention::exists(point((1 << 24) + 1, 1, "f32")));
  EXPECT_TRUE(AtomicContention::exists(point((1 << 24) + 1, 2, "f32")));
  EXPECT_TRUE(AtomicContention::exists(point(std::int64_t{1} << 31, 1)));
}

TEST(AtomicContention, FindsTheTimePerAddition) {
  const auto outcome = [](std::int64_t atomics, double seconds) {
    return Outcome{"cuda/atomic_contention/per_thread", point(atomics, 1), seconds, {}, {}};
  };
  const auto findings = AtomicContention::findings({outcome(1000, 2e-6), outcome(2000, 4.5e-6)});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NEAR(findings[0].number("time").value(), 2.5, 1e-9);
  EXPECT_TRUE(to_string(findings[0]).ends_with(": 2.50 ns per addition")) << to_string(findings[0]);
  EXPECT_TRUE(AtomicContention::findings({outcome(1000, 2e-6)}).empty());
}

}  // namespace
}  // namespace crosswarp
