// Round-robin order and stopping rule, on a manual clock.
#include "core/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

namespace crosswarp {
namespace {

using Contestants = std::vector<std::function<double()>>;

class Sampler : public testing::Test {
 protected:
  /// Takes these times in turn, over and over, and as long on the wall clock.
  std::function<double()> takes(std::vector<double> seconds) {
    return [this, seconds, next = std::size_t{0}]() mutable {
      const double s = seconds[next++ % seconds.size()];
      clock += s;
      return s;
    };
  }
  std::function<double()> throws_from(int sample, double seconds) {
    return [this, sample, seconds, n = 0]() mutable {
      clock += seconds;
      if (n++ >= sample) throw std::runtime_error("the launch failed");
      return seconds;
    };
  }
  std::vector<Samples> sample(const Contestants& contestants, const StopRule& rule) {
    return sample_round_robin(contestants, rule, [this] { return clock; });
  }

  double clock = 0;
};

TEST(Share, SpreadsARuleOverPlacements) {
  const StopRule part = share(
      {.min_time = 0.4, .precision = 0.01, .min_samples = 32, .max_samples = 33, .placements = 4, .time_limit = 2});
  EXPECT_DOUBLE_EQ(part.min_time, 0.1);
  EXPECT_DOUBLE_EQ(part.time_limit, 0.5);
  EXPECT_EQ(part.min_samples, 8u);
  EXPECT_EQ(part.max_samples, 9u);  // rounded up: no placement without samples
  EXPECT_EQ(part.precision, 0.01);
  EXPECT_EQ(share({.min_samples = 1, .max_samples = 2, .placements = 16}).max_samples, 1u);
}

/// Times that vary too much for a precise median.
const std::vector<double> restless{0.01, 0.02, 0.03, 0.04};

TEST_F(Sampler, StopsWhereTheMedianIsKnown) {
  const auto all = sample({takes({0.001})}, {.min_samples = 20});
  EXPECT_EQ(all[0].stopped, "precision");
  EXPECT_EQ(all[0].seconds.size(), 20u);
  EXPECT_EQ(all[0].error, "");
}

TEST_F(Sampler, KnowsNoMedianFromFewerThanSixSamples) {
  const auto all = sample({takes({0.001})}, {.min_samples = 1});
  EXPECT_GE(all[0].seconds.size(), 6u) << all[0].stopped;
}

TEST_F(Sampler, HoldsPrecisionRelativeToTheMedian) {
  const std::vector<double> within{1.000e-6, 1.001e-6}, beyond{1.000e-6, 1.020e-6};
  const StopRule rule{.min_time = 1, .precision = 0.002, .min_samples = 20, .max_samples = 60};
  EXPECT_EQ(sample({takes(within)}, rule)[0].stopped, "precision");
  EXPECT_EQ(sample({takes(beyond)}, rule)[0].stopped, "max_samples");
}

TEST_F(Sampler, StopsAfterEnoughDeviceTime) {
  const auto all = sample({takes(restless)}, {.min_time = 0.295, .min_samples = 8, .time_limit = 100});
  EXPECT_EQ(all[0].stopped, "min_time");
  EXPECT_EQ(all[0].seconds.size(), 12u);  // three times 0.1
}

TEST_F(Sampler, LooksAtDeviceTimeNotAtTheClock) {
  const auto flushes = [this, n = 0]() mutable { return clock += 0.01, n++ % 2 ? 1e-6 : 2e-6; };
  const auto all = sample({flushes}, {.min_time = 0.2, .min_samples = 8, .max_samples = 50, .time_limit = 100});
  EXPECT_EQ(all[0].stopped, "max_samples");  // 0.5 s on the wall, next to nothing on the device
}

TEST_F(Sampler, TakesTheLeastNumberOfSamplesHoweverLongTheyTake) {
  const auto all = sample({takes(restless)}, {.min_time = 0.01, .min_samples = 32, .time_limit = 100});
  EXPECT_EQ(all[0].stopped, "min_time");
  EXPECT_EQ(all[0].seconds.size(), 32u);
}

TEST_F(Sampler, StopsAtTheMostSamples) {
  const auto all = sample({takes(restless)}, {.min_time = 100, .min_samples = 8, .max_samples = 17, .time_limit = 100});
  EXPECT_EQ(all[0].stopped, "max_samples");
  EXPECT_EQ(all[0].seconds.size(), 17u);
}

TEST_F(Sampler, CutsOffAtTheTimeLimit) {
  const auto all = sample({takes({0.25, 0.75}), takes({0.0001})}, {.min_time = 10, .min_samples = 8, .time_limit = 2});
  EXPECT_EQ(all[0].stopped, "time_limit");
  EXPECT_EQ(all[0].seconds.size(), 4u);
  EXPECT_EQ(all[0].wall, 2);
  EXPECT_EQ(all[1].stopped, "precision");  // its own time counts, not that of the others
  EXPECT_EQ(all[1].seconds.size(), 8u);
}

TEST_F(Sampler, KeepsTheReasonOfOneThatWasDoneBeforeItsTimeLimit) {
  const auto all = sample({takes({0.1}), takes({0.01, 0.02})},
                          {.min_time = 100, .min_samples = 8, .max_samples = 50, .time_limit = 1.05});
  EXPECT_EQ(all[0].stopped, "precision");
  EXPECT_EQ(all[0].seconds.size(), 11u);  // it went on with the rounds, and left them at its limit
  EXPECT_EQ(all[1].stopped, "max_samples");
}

TEST_F(Sampler, LetsTheOthersGoOnWhereOneThrows) {
  const auto all = sample({takes({0.001}), throws_from(3, 0.001), takes({0.002})}, {.min_samples = 16});
  EXPECT_EQ(all[1].stopped, "error");
  EXPECT_EQ(all[1].error, "the launch failed");
  EXPECT_EQ(all[1].seconds.size(), 3u);
  for (const std::size_t i : {0, 2}) {
    EXPECT_EQ(all[i].stopped, "precision");
    EXPECT_EQ(all[i].seconds.size(), 16u);
  }
}

TEST_F(Sampler, EndsWhereAllThrow) {
  const auto all = sample({throws_from(0, 0.1), throws_from(2, 0.1)}, {});
  EXPECT_TRUE(all[0].seconds.empty());
  EXPECT_EQ(all[0].stopped, "error");
  EXPECT_EQ(all[1].seconds.size(), 2u);
}

TEST_F(Sampler, EndsWhereNobodyContests) { EXPECT_TRUE(sample({}, {}).empty()); }

TEST_F(Sampler, GoesOnUntilAllAreDone) {
  const auto all = sample({takes({0.001}), takes(restless)}, {.min_time = 0.5, .min_samples = 8, .time_limit = 100});
  EXPECT_EQ(all[0].stopped, "precision");
  EXPECT_EQ(all[1].stopped, "min_time");
  EXPECT_EQ(all[0].seconds.size(), all[1].seconds.size());
}

TEST_F(Sampler, TakesACompanionAlongAndWaitsForItNever) {
  const auto all = sample_round_robin({takes({0.001}), takes({0.002})}, {.min_samples = 16, .time_limit = 100},
                                      [this] { return clock; }, {takes(restless)});
  ASSERT_EQ(all.size(), 3u);  // its samples come last
  for (const Samples& samples : all) EXPECT_EQ(samples.seconds.size(), 16u);
  EXPECT_EQ(all[2].seconds[1], restless[1]);
}

TEST_F(Sampler, GoesOnWithoutACompanionThatThrows) {
  const auto all =
      sample_round_robin({takes({0.001})}, {.min_samples = 16}, [this] { return clock; }, {throws_from(2, 0.001)});
  EXPECT_EQ(all[0].stopped, "precision");
  EXPECT_EQ(all[0].seconds.size(), 16u);
  EXPECT_EQ(all[1].error, "the launch failed");
}

TEST_F(Sampler, EndsWhereOnlyACompanionIsLeft) {
  const auto all = sample_round_robin({throws_from(3, 0.001)}, {}, [this] { return clock; }, {takes(restless)});
  EXPECT_EQ(all[0].stopped, "error");
  EXPECT_LE(all[1].seconds.size(), 4u);
}

TEST_F(Sampler, RotatesTheTurnThatBeginsARound) {
  std::vector<std::size_t> order;
  Contestants contestants;
  for (std::size_t i = 0; i < 3; ++i) contestants.push_back([&order, i] { return order.push_back(i), 1e-3; });
  sample(contestants, {.min_samples = 7});
  ASSERT_EQ(order.size(), 21u);
  for (std::size_t round = 0; round < 7; ++round) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(3 * round);
    EXPECT_EQ(*begin, round % 3);
    EXPECT_EQ(std::set<std::size_t>(begin, begin + 3).size(), 3u) << "round " << round;
  }
}

TEST_F(Sampler, TakesSampleIOfAllFromTheSameRound) {
  // Each call returns when it was taken; one contestant leaves by its time limit, one by an error.
  double turn = 0;
  const auto stamps = [&](double wall, int throws_at = -1) {
    return [&, wall, throws_at, n = 0]() mutable {
      clock += wall;
      if (n++ == throws_at) throw std::runtime_error("gone");
      return ++turn;
    };
  };
  const auto all = sample({stamps(0), stamps(0.1), stamps(0, 5), stamps(0)},
                          {.min_time = 1e9, .min_samples = 8, .max_samples = 40, .time_limit = 0.95});
  EXPECT_EQ(all[1].seconds.size(), 10u);
  EXPECT_EQ(all[2].seconds.size(), 5u);
  ASSERT_EQ(all[0].seconds.size(), 40u);
  for (const Samples& other : all)
    for (std::size_t i = 0; i < other.seconds.size(); ++i)
      EXPECT_LE(std::abs(all[0].seconds[i] - other.seconds[i]), 3) << "sample " << i;
}

}  // namespace
}  // namespace crosswarp
