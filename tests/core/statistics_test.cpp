// Medians, intervals and ratios: exact for small sets; coverage by simulation.
#include "core/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace crosswarp {
namespace {

using Times = std::vector<double>;

TEST(Quantile, Interpolates) {
  const Times samples{40, 10, 30, 20};
  EXPECT_EQ(quantile(samples, 0), 10);
  EXPECT_EQ(quantile(samples, 1), 40);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 25);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.25), 17.5);
  EXPECT_EQ(quantile(Times{7}, 0.9), 7);
}

TEST(Quantile, IsNaNOfNothing) {
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(spread({})));
}

TEST(Median, IsNotMovedByOneInterruptedSample) { EXPECT_EQ(median(Times{1, 1, 1, 1, 1000}), 1); }

TEST(Spread, IsHalfTheQuartileDistanceOverTheMedian) {
  EXPECT_DOUBLE_EQ(spread(Times{1, 2, 3, 4, 5}), (4.0 - 2.0) / 2 / 3);
  EXPECT_EQ(spread(Times{2, 2, 2}), 0);
  EXPECT_DOUBLE_EQ(spread(Times{1e-6, 2e-6, 3e-6}), spread(Times{1, 2, 3}));  // relative
}

TEST(MedianInterval, IsTheWholeRangeOfFewerThanSix) {
  const Interval interval = median_interval(Times{5, 1, 4, 2, 3});
  EXPECT_EQ(interval.low, 1);
  EXPECT_EQ(interval.high, 5);
}

TEST(MedianInterval, CoversTheMedianWithItsConfidenceAtEverySize) {
  std::pair<double, std::size_t> least{1, 0}, most{0, 0};  // with the size at which it is so
  // The median lies below order statistic r (from 0) with the odds of at most r heads in n throws. Exact, and the same
  // for every continuous distribution.
  for (std::size_t n = 6; n <= 1000; ++n) {
    Times ranks(n);
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
      Times samples(n);
      for (double& s : samples) s = skewed(random);
      const Interval interval = median_interval(samples);
      covered += interval.low <= 1 && 1 <= interval.high;
    }
    EXPECT_GT(covered / double{draws}, 0.93) << n;
    EXPECT_LT(covered / double{draws}, 0.99) << n;
  }
}

TEST(Location, IsTheMeanOfMediansOfPlacements) {
  EXPECT_EQ(location({{1, 1, 1000}, {3}}), 2);  // neither one interruption nor the longer placement moves it
  EXPECT_TRUE(std::isnan(location({})));
}

TEST(Flatten, KeepsTheOrder) {
  EXPECT_EQ(flatten({{3, 1}, {}, {2}}), (Times{3, 1, 2}));
  EXPECT_TRUE(flatten({}).empty());
}

/// Two rows timed side by side while clocks drift by a fifth: the first takes 1.25 times as long, with variation
/// between placements.
std::pair<Placements, Placements> drifting(std::size_t placements, std::mt19937_64& random, double scatter) {
  std::normal_distribution<double> placed(1, scatter), noise(1, scatter / 10);
  std::pair<Placements, Placements> both;
  for (std::size_t p = 0; p < placements; ++p) {
    const double worth = placed(random);
    Times slow, fast;
    for (int i = 0; i < 5; ++i) {
      const double clock = 1 + 0.04 * i;
      slow.push_back(1.25 * worth * clock * noise(random)), fast.push_back(clock * noise(random));
    }
    both.first.push_back(slow), both.second.push_back(fast);
  }
  return both;
}

/// A run's samples: placements scatter by a hundredth, skewed; neighbouring samples resemble each other; `drift` is of
/// the whole run.
Placements a_run(std::size_t placements, std::mt19937_64& random, double drift) {
  std::normal_distribution<double> normal;
  const double whole = std::exp(drift * normal(random));
  Placements all(placements);
  for (auto& placement : all) {
    const double worth = whole * std::exp(0.01 * normal(random));
    double lasting = 0;
    for (int i = 0; i < 9; ++i) {
      lasting = 0.9 * lasting + 0.001 * normal(random);
      placement.push_back(worth * (1 + lasting));
    }
  }
  return all;
}

/// How often the interval of one run holds another run's time.
double coverage(std::size_t placements, double drift) {
  constexpr int draws = 10'000;  // so that it is known to 0.002
  std::mt19937_64 random(4);
  int covered = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const Interval interval = location_interval(a_run(placements, random, drift));
    const double again = location(a_run(placements, random, drift));
    covered += interval.low <= again && again <= interval.high;
  }
  return covered / double{draws};
}

TEST(LocationInterval, CoversAnotherRunByItsPlacements) {
  for (const std::size_t placements : {2, 4, 16}) EXPECT_NEAR(coverage(placements, 0), 0.95, 0.007) << placements;
}

TEST(LocationInterval, DoesNotCoverDriftBetweenRuns) { EXPECT_LT(coverage(16, 0.01), 0.6); }

TEST(LocationInterval, IsUnknownForOnePlacement) {
  EXPECT_TRUE(std::isnan(location_interval({{3, 3, 4}}).low));
  EXPECT_TRUE(std::isnan(location_interval({}).high));
}

TEST(PairedRatio, CancelsDrift) {
  std::mt19937_64 random(2);
  const auto [slow, fast] = drifting(4, random, 0.0);
  const Ratio ratio = paired_ratio(slow, fast);
  EXPECT_NEAR(ratio.value, 1.25, 1e-12);
  EXPECT_NEAR(ratio.interval.high - ratio.interval.low, 0, 1e-12);
  EXPECT_NEAR(paired_ratio(fast, slow).value, 0.8, 1e-12);
}

TEST(PairedRatio, CoversOneMorePlacementAndARepeatedRun) {
  constexpr int draws = 10'000;  // so that the coverage is known to 0.002
  std::mt19937_64 random(3);
  for (const std::size_t placements : {2, 4, 16}) {
    const auto measure = [&](std::size_t count) {
      const auto [slow, fast] = drifting(count, random, 0.03);
      return paired_ratio(slow, fast);
    };
    int covered = 0, covered_run = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const Interval interval = measure(placements).interval;
      const auto inside = [&](double value) { return interval.low <= value && value <= interval.high; };
      covered += inside(measure(1).value);
      covered_run += inside(measure(placements).value);
    }
    EXPECT_NEAR(covered / double{draws}, 0.95, 0.007) << placements;
    EXPECT_GT(covered_run / double{draws}, 0.95) << placements;  // a run scatters less than a placement
  }
}

TEST(PairedRatio, LeavesOutWhatOnlyOneOfThemHas) {
  EXPECT_EQ(paired_ratio({{2, 2, 2}}, {{1, 1, 1, 100, 100, 100, 100}}).value, 2);
  EXPECT_EQ(paired_ratio({{2, 2, 2, 900, 900, 900, 900}}, {{1, 1, 1}}).value, 2);
  EXPECT_EQ(paired_ratio({{2}, {2}, {900}}, {{1}, {1}}).value, 2);
  EXPECT_EQ(paired_ratio({{2}, {}, {4}}, {{1}, {1}, {1}}).value, 3);
}

TEST(PairedRatio, OfOnePlacementHasNoInterval) {
  const Ratio ratio = paired_ratio({{3, 3, 4}}, {{2, 2, 2}});
  EXPECT_EQ(ratio.value, 1.5);
  EXPECT_TRUE(std::isnan(ratio.interval.low));
  EXPECT_TRUE(std::isnan(ratio.interval.high));
  EXPECT_TRUE(std::isnan(paired_ratio({}, {}).value));
}

TEST(PairedRatio, OfTwoPlacementsPromisesNextToNothing) {
  const Ratio ratio = paired_ratio({{1.0}, {1.1}}, {{1}, {1}});
  EXPECT_LT(ratio.interval.low, 0.5);
  EXPECT_GT(ratio.interval.high, 1.5);
}

TEST(Medians, AreOfThePlacementsThatHaveSamples) {
  EXPECT_EQ(medians({{1, 2, 9}, {}, {4}}), (Times{2, 4}));
  EXPECT_TRUE(medians({}).empty());
}

TEST(LocationRatio, IsThatOfTheLocations) {
  const Placements slow{{3, 3, 300}, {5}}, fast{{1}, {2, 2, 2}, {3}};
  EXPECT_DOUBLE_EQ(location_ratio(slow, fast).value, location(slow) / location(fast));
  const Ratio forth = location_ratio(slow, fast), back = location_ratio(fast, slow);
  EXPECT_NEAR(forth.interval.low * back.interval.high, 1, 1e-12);
  EXPECT_LT(forth.interval.low, forth.value);
  EXPECT_GT(forth.interval.high, forth.value);
}

TEST(LocationRatio, HasNoIntervalWhereOneHasOnePlacement) {
  for (const Ratio& ratio : {location_ratio({{2}}, {{1}, {1.5}}), location_ratio({{1}, {1.5}}, {{2}})}) {
    EXPECT_TRUE(std::isnan(ratio.interval.low));
    EXPECT_TRUE(std::isnan(ratio.interval.high));
  }
  const Ratio exact = location_ratio({{2}, {2}}, {{1}, {1}, {1}});
  EXPECT_EQ(exact.interval.low, 2);
  EXPECT_EQ(exact.interval.high, 2);
}

TEST(LocationRatio, CoversTheRatioWithItsConfidence) {
  constexpr int draws = 10'000;
  std::mt19937_64 random(4);
  const auto run = [&](std::size_t placements, double time, double scatter) {
    std::normal_distribution<double> placed(time, time * scatter);
    Placements all(placements);
    for (auto& placement : all) placement.assign(25, placed(random));  // samples of one resemble each other
    return all;
  };
  for (const auto& [n, m] : {std::pair{16, 16}, {16, 5}, {3, 3}}) {
    int covered = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const Interval interval = location_ratio(run(n, 1.3, 0.03), run(m, 1, 0.01)).interval;
      covered += interval.low <= 1.3 && 1.3 <= interval.high;
    }
    EXPECT_NEAR(covered / double{draws}, 0.95, 0.012) << n << " and " << m << " placements";
  }
}

/// The exact two-sided p: over all ways to draw as many of the numbers of both as `b` has.
double exact_p(const Times& a, const Times& b) {
  Times all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::vector<int> in_b(all.size(), 0);
  std::fill(in_b.end() - static_cast<std::ptrdiff_t>(b.size()), in_b.end(), 1);
  const auto distance = [&] {
    double above = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < all.size(); ++j)
        if (!in_b[i] && in_b[j]) above += all[j] > all[i] ? 1.0 : all[j] == all[i] ? 0.5 : 0.0;
    return std::abs(above - static_cast<double>(a.size() * b.size()) / 2);
  };
  const double seen = distance();
  double as_far = 0, ways = 0;
  do {
    as_far += distance() >= seen - 1e-9;
    ++ways;
  } while (std::next_permutation(in_b.begin(), in_b.end()));
  return as_far / ways;
}

TEST(RankTestOf, TwoSetsIsCloseToTheExactOne) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> skewed(0, 1);
  for (const auto& [n, m] : {std::pair{8, 8}, {5, 8}, {7, 4}})
    for (const double shift : {0.0, 0.5, 1.0, 2.0, 10.0})
      for (const double step : {0.0, 0.5}) {  // rounded to half: many ties
        Times a, b;
        const auto draw = [&] { return step > 0 ? std::round(skewed(random) / step) * step : skewed(random); };
        for (int i = 0; i < n; ++i) a.push_back(draw());
        for (int i = 0; i < m; ++i) b.push_back(draw() + shift);
        const double exact = exact_p(a, b), p = rank_test(a, b).p;
        EXPECT_GT(p, 0.85 * exact) << n << ' ' << m << ' ' << shift << ' ' << step;
        EXPECT_LT(p, 1.1 * exact + 0.008) << n << ' ' << m << ' ' << shift << ' ' << step;
      }
}

TEST(RankTestOf, TwoSetsDoesNotDependOnTheirOrder) {
  const Times a{1, 2, 3, 9}, b{2, 4, 5, 8, 10};
  EXPECT_DOUBLE_EQ(rank_test(a, b).p, rank_test(b, a).p);
  EXPECT_DOUBLE_EQ(rank_test(a, b).superiority, 14.5 / 20);  // counted by hand: 2 is equal once
  EXPECT_DOUBLE_EQ(rank_test(b, a).superiority, 5.5 / 20);
}

TEST(RankTestOf, EqualNumbersFindsNothing) {
  EXPECT_EQ(rank_test(Times{2, 2, 2}, Times{2, 2}).p, 1);
  EXPECT_EQ(rank_test(Times{2, 2, 2}, Times{2, 2}).superiority, 0.5);
  EXPECT_EQ(rank_test(Times{1}, Times{2}).p, 1);
}

TEST(LeastP, IsThatOfSetsApart) {
  for (const auto& [n, m] : {std::pair{1, 1}, {2, 3}, {4, 4}, {9, 10}, {16, 16}}) {
    Times low(static_cast<std::size_t>(n)), high(static_cast<std::size_t>(m));
    std::iota(low.begin(), low.end(), 0.0);
    std::iota(high.begin(), high.end(), 100.0);
    EXPECT_DOUBLE_EQ(least_p(low.size(), high.size()), rank_test(low, high).p);
  }
  EXPECT_EQ(least_p(1, 1), 1);
  EXPECT_GT(least_p(3, 3), 0.05);  // exactly 0.1
  EXPECT_LT(least_p(4, 4), 0.05);  // exactly 0.029
}

TEST(Holm, AdjustsInTheOrderGiven) {
  const std::vector<double> adjusted = holm({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02};
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(adjusted[i], expected[i]) << i;
  EXPECT_EQ(holm({0.7, 0.9}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(GeometricMean, TreatsAFactorAndItsInverseAlike) {
  EXPECT_DOUBLE_EQ(geometric_mean(Times{2, 0.5}), 1);
  EXPECT_DOUBLE_EQ(geometric_mean(Times{1, 10, 100}), 10);
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

}  // namespace
}  // namespace crosswarp
