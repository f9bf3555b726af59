// Medians, intervals and ratios: exact on small sets, and by simulation where they promise a coverage.
#include "core/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace crosswarp {
namespace {

using Samples = std::vector<double>;

TEST(Quantile, Interpolates) {
  const Samples samples{40, 10, 30, 20};
  EXPECT_EQ(quantile(samples, 0), 10);
  EXPECT_EQ(quantile(samples, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 17.5);
  EXPECT_EQ(quantile(Samples{7}, 0.9), 7);
}

TEST(Quantile, IsNaNOfNothing) {
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(spread({})));
}

TEST(Median, IsNotMovedByOneInterruptedSample) { EXPECT_EQ(median(Samples{1, 1, 1, 1, 1000}), 1); }

TEST(Spread, IsHalfTheQuartileDistanceOverTheMedian) {
  EXPECT_DOUBLE_EQ(spread(Samples{1, 2, 3, 4, 5}), (4.0 - 2.0) / 2 / 3);
  EXPECT_EQ(spread(Samples{2, 2, 2}), 0);
  EXPECT_DOUBLE_EQ(spread(Samples{1e-6, 2e-6, 3e-6}), spread(Samples{1, 2, 3}));  // relative
}

TEST(MedianInterval, IsTheWholeRangeOfFewerThanSix) {
  const Interval interval = median_interval(Samples{5, 1, 4, 2, 3});
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 5);
}

TEST(MedianInterval, CoversTheMedianWithItsConfidenceAtEverySize) {
  std::pair<double, std::size_t> least{1, 0}, most{0, 0};  // with the size at which it is so
  // The median lies below order statistic r (from 0) with the odds of at most r heads in n throws. Exact, and the same
  // for every continuous distribution.
  for (std::size_t n = 6; n <= 1000; ++n) {
    Samples ranks(n);
    std::iota(ranks.begin(), ranks.end(), 0.0);
    const auto low = static_cast<int>(median_interval(ranks).low);
    EXPECT_EQ(median_interval(ranks).high, static_cast<double>(n - 1) - low);
    double tail = 0;
    for (int heads = 0; heads <= low; ++heads)
      tail += std::exp(std::lgamma(n + 1.0) - std::lgamma(heads + 1.0) - std::lgamma(n - heads + 1.0) -
                       static_cast<double>(n) * std::log(2.0));
    least = std::min(least, {1 - 2 * tail, n});
    most = std::max(most, {1 - 2 * tail, n});
  }
  EXPECT_GE(least.first, 0.95) << least.second << " samples";
  EXPECT_LE(most.first, 0.995) << most.second << " samples";
}

TEST(MedianInterval, CoversTheMedianOfSkewedSamples) {
  constexpr int draws = 2000;
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> skewed(0, 1);  // its median is 1
  for (const std::size_t n : {9, 32, 100, 400}) {
    int covered = 0;
    for (int draw = 0; draw < draws; ++draw) {
      Samples samples(n);
      for (double& s : samples) s = skewed(random);
      const Interval interval = median_interval(samples);
      covered += interval.low <= 1 && 1 <= interval.high;
    }
    EXPECT_GT(covered / double{draws}, 0.93) << n;
    EXPECT_LT(covered / double{draws}, 0.99) << n;
  }
}

/// Two rows measured side by side while clocks drift by a fifth: the first takes 1.25 times as long.
std::pair<Samples, Samples> drifting(std::size_t n, std::mt19937_64& random, double noise) {
  std::normal_distribution<double> normal(1, noise);
  std::pair<Samples, Samples> both;
  for (std::size_t i = 0; i < n; ++i) {
    const double clock = 1 + 0.2 * static_cast<double>(i) / static_cast<double>(n);
    both.first.push_back(1.25 * clock * normal(random));
    both.second.push_back(clock * normal(random));
  }
  return both;
}

TEST(PairedRatio, CancelsDrift) {
  std::mt19937_64 random(2);
  const auto [slow, fast] = drifting(64, random, 0.0);
  const Ratio ratio = paired_ratio(slow, fast);
  EXPECT_NEAR(ratio.value, 1.25, 1e-12);
  EXPECT_NEAR(ratio.interval.high - ratio.interval.low, 0, 1e-12);
  EXPECT_NEAR(paired_ratio(fast, slow).value, 0.8, 1e-12);
}

TEST(PairedRatio, CoversARepeatedDraw) {
  constexpr int draws = 2000;
  std::mt19937_64 random(3);
  for (const std::size_t n : {8, 64, 400}) {
    const std::size_t stretch = n / 8;
    int covered = 0, covered_whole = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const auto measure = [&](std::size_t samples) {
        const auto [slow, fast] = drifting(samples, random, 0.02);
        return paired_ratio(slow, fast);
      };
      const Interval interval = measure(n).interval;
      const auto inside = [&](double value) { return interval.low <= value && value <= interval.high; };
      covered += inside(measure(stretch).value);
      covered_whole += inside(measure(n).value);
    }
    EXPECT_GT(covered / double{draws}, 0.93) << n;
    EXPECT_LT(covered / double{draws}, 0.98) << n;
    EXPECT_GT(covered_whole / double{draws}, 0.95) << n;  // a whole run varies less than a stretch of one
  }
}

TEST(PairedRatio, CoversARepeatedRunWhoseStretchesDiffer) {
  // Neighbours share a clock that wanders from stretch to stretch, for one row alone: nothing cancels.
  constexpr int draws = 1000;
  std::mt19937_64 random(4);
  std::normal_distribution<double> wander(1, 0.05), noise(1, 0.001);
  const auto measure = [&] {
    Samples slow, fast;
    for (int stretch = 0; stretch < 8; ++stretch) {
      const double clock = wander(random);
      for (int i = 0; i < 16; ++i) slow.push_back(clock * noise(random)), fast.push_back(noise(random));
    }
    return paired_ratio(slow, fast);
  };
  int covered = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const Interval interval = measure().interval;
    const double again = measure().value;
    covered += interval.low <= again && again <= interval.high;
  }
  EXPECT_GT(covered / double{draws}, 0.95);
}

TEST(PairedRatio, IsCutToTheShorter) {
  EXPECT_EQ(paired_ratio(Samples{2, 2, 2}, Samples{1, 1, 1, 100, 100, 100, 100}).value, 2);
  EXPECT_EQ(paired_ratio(Samples{2, 2, 2, 900, 900, 900, 900}, Samples{1, 1, 1}).value, 2);
}

TEST(PairedRatio, OfOneSampleIsTheValueAlone) {
  const Ratio ratio = paired_ratio(Samples{3}, Samples{2});
  EXPECT_EQ(ratio.value, 1.5);
  EXPECT_EQ(ratio.interval.low, 1.5);
  EXPECT_EQ(ratio.interval.high, 1.5);
  EXPECT_TRUE(std::isnan(paired_ratio({}, {}).value));
}

TEST(PairedRatio, OfTwoSamplesPromisesNextToNothing) {
  const Ratio ratio = paired_ratio(Samples{1.0, 1.1}, Samples{1, 1});
  EXPECT_LT(ratio.interval.low, 0.5);
  EXPECT_GT(ratio.interval.high, 1.5);
}

}  // namespace
}  // namespace crosswarp
