// Changes: differences between placements are noise, a planted slowdown is found.
#include "core/change.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace crosswarp {
namespace {

constexpr double least = 0.02, untested = 0.1;

/// A run of one cell: samples of a placement lie within a thousandth of each other, placements scatter by `scatter`.
Placements run(std::mt19937_64& random, std::size_t placements, double time, double scatter) {
  std::normal_distribution<double> placed(time, time * scatter), noise(1, 0.001);
  Placements all(placements);
  for (auto& placement : all) {
    const double worth = placed(random);
    for (int i = 0; i < 25; ++i) placement.push_back(worth * noise(random));
  }
  return all;
}

/// Placements with one sample each.
Placements placements(const std::vector<double>& times) {
  Placements all;
  for (const double time : times) all.push_back({time});
  return all;
}

Change only(const TwoRuns& cell) { return changes({cell}, untested).front(); }

const std::vector<double> around_one{0.996, 0.997, 0.998, 0.999, 1.001, 1.002, 1.003, 1.004};

std::vector<double> scaled(double factor) {
  std::vector<double> all = around_one;
  for (double& time : all) time *= factor;
  return all;
}

TEST(ChangeOf, ACellHasADirectionAndASize) {
  const Change slower = only({placements(around_one), placements(scaled(1.03)), least});
  EXPECT_EQ(slower.kind, ChangeKind::slower);
  EXPECT_NEAR(slower.ratio.value, 1.03, 1e-12);
  ASSERT_TRUE(slower.test);
  EXPECT_EQ(slower.test->superiority, 1);
  EXPECT_EQ(slower.least_change, least);
  const Change faster = only({placements(scaled(1.03)), placements(around_one), least});
  EXPECT_EQ(faster.kind, ChangeKind::faster);
  EXPECT_NEAR(faster.ratio.value, 1 / 1.03, 1e-12);
}

TEST(ChangeOf, ANoisyCellIsNoRegression) {
  const auto noisy = [](const std::vector<double>& before, const std::vector<double>& after) {
    return only({placements(before), placements(after), least, true}).kind;
  };
  EXPECT_EQ(noisy(around_one, scaled(1.03)), ChangeKind::noisy);
  EXPECT_EQ(noisy(scaled(1.03), around_one), ChangeKind::noisy);
  EXPECT_EQ(noisy(around_one, around_one), ChangeKind::within_noise);
}

TEST(ChangeOf, ACellCountsFromTheLeastChangeOnInEitherDirection) {
  for (const auto& [factor, counts] : {std::pair{1.0205, true}, {1.0195, false}}) {
    const Placements short_time = placements(around_one), long_time = placements(scaled(factor));
    EXPECT_EQ(only({short_time, long_time, least}).kind, counts ? ChangeKind::slower : ChangeKind::within_noise)
        << factor;
    EXPECT_EQ(only({long_time, short_time, least}).kind, counts ? ChangeKind::faster : ChangeKind::within_noise)
        << factor;
  }
}

TEST(ChangeOf, ACellIsNoneWherePlacementsExplainIt) {  // a ratio of 1.08, from two of eight placements
  const Placements before = placements(around_one);
  Placements after = before;
  after[0] = after[5] = {1.32};
  const Change change = only({before, after, least});
  EXPECT_GT(change.ratio.value, 1.07);
  EXPECT_EQ(change.kind, ChangeKind::within_noise);
}

TEST(ChangeOf, ACellIsNoneWhereRanksPointTheOtherWay) {  // faster in every placement but one, which is ten times slower
  std::vector<double> before, after;
  for (int i = 0; i < 16; ++i) before.push_back(1 + i / 1e3), after.push_back(0.95 + i / 1e3);
  after.back() = 10;
  const Change change = only({placements(before), placements(after), least});
  ASSERT_TRUE(change.test);
  EXPECT_GT(change.ratio.value, 1.02);
  EXPECT_LT(change.test->p, family_error);
  EXPECT_EQ(change.kind, ChangeKind::within_noise);
}

TEST(ChangeOf, FewPlacementsIsToldByItsSizeAloneOrNotAtAll) {
  for (const auto& [factor, finding] : {std::pair{1.01, ChangeKind::within_noise},
                                        {1.05, ChangeKind::no_verdict},
                                        {1 / 1.05, ChangeKind::no_verdict},
                                        {1.2, ChangeKind::slower},
                                        {1 / 1.2, ChangeKind::faster}})
    for (const std::size_t count : {1, 2, 3}) {
      std::vector<double> before(around_one.begin(), around_one.begin() + static_cast<std::ptrdiff_t>(count));
      std::vector<double> after = before;
      for (double& time : after) time *= factor;
      const Change change = only({placements(before), placements(after), least});
      EXPECT_EQ(change.kind, finding) << factor << ' ' << count;
      EXPECT_FALSE(change.test);
      EXPECT_EQ(change.least_change, untested);
    }
}

TEST(ChangeOf, FewPlacementsThatDifferAmongThemselvesHasNoVerdict) {  // times of a busy machine
  const Change change = only({placements({1, 2}), placements({1.1, 4}), least});
  EXPECT_GT(change.ratio.value, 1 + untested);
  EXPECT_LT(change.ratio.interval.low, 1);
  EXPECT_GT(change.ratio.interval.high, 1);
  EXPECT_EQ(change.kind, ChangeKind::no_verdict);
}

TEST(ChangeOf, FewPlacementsNeverCountsBelowItsOwnLeastChange) {
  EXPECT_EQ(only({placements({1}), placements({1.2}), 0.3}).kind, ChangeKind::within_noise);
  EXPECT_EQ(only({placements({1}), placements({1.2}), 0.3}).least_change, 0.3);
}

TEST(ChangeOf, ACellThatTakesNoTimeIsNone) {
  EXPECT_EQ(only({placements({0}), placements({0}), least}).kind, ChangeKind::within_noise);
}

TEST(Changes, ArePickedWithTheNumberOfCellsInMind) {
  // Apart, but for one placement: p is 0.003 alone, and so found; among 99 equal cells it is what chance brings.
  std::vector<double> after = scaled(1.03);
  after[0] = 0.99;
  std::vector<TwoRuns> cells{{placements(around_one), placements(after), least}};
  EXPECT_EQ(changes(cells, untested).front().kind, ChangeKind::slower);
  cells.resize(100, {placements(scaled(2)), placements(scaled(2)), least});
  EXPECT_EQ(changes(cells, untested).front().kind, ChangeKind::no_verdict);  // eight are too few among a hundred
  for (TwoRuns& cell : cells) {
    cell.before.insert(cell.before.end(), cell.before.begin(), cell.before.end());
    cell.after.push_back(cell.after.back()), cell.after.push_back(cell.after.front());
  }
  const Change change = changes(cells, untested).front();
  ASSERT_TRUE(change.test);
  EXPECT_EQ(change.kind, ChangeKind::within_noise);
}

TEST(Changes, OfTheSameProgramAreFoundInFewerThanOneFamilyOfTwenty) {
  std::mt19937_64 random(6);
  constexpr int families = 400;
  int with_findings = 0;
  for (int family = 0; family < families; ++family) {
    std::vector<TwoRuns> cells;
    for (int i = 0; i < 50; ++i)  // any change counts: it is up to the test alone
      cells.push_back({run(random, 16, 1, 0.03), run(random, 16, 1, 0.03), 0});
    int found = 0;
    for (const Change& change : changes(cells, 0)) found += change.kind != ChangeKind::within_noise;
    with_findings += found > 0;
  }
  EXPECT_LT(with_findings, 32);  // 20 expected at most; more than 31 in 1 of 250 tries
}

TEST(Changes, OfThreePerCentAreFound) {
  std::mt19937_64 random(7);
  std::vector<TwoRuns> cells;
  for (int i = 0; i < 100; ++i)  // every tenth is slower
    cells.push_back({run(random, 16, 1, 0.005), run(random, 16, i % 10 ? 1 : 1.03, 0.005), least});
  const std::vector<Change> all = changes(cells, untested);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].kind, i % 10 ? ChangeKind::within_noise : ChangeKind::slower) << i;
}

TEST(Changes, OfNothingAreNone) { EXPECT_TRUE(changes({}, untested).empty()); }

}  // namespace
}  // namespace crosswarp
