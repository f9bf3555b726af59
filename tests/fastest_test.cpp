// Which of several launches `autotuned` and the libraries' rows take, by times that are made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "backends/gpu/fastest_by_rounds.hpp"

namespace {

using crosswarp::gpu::fastest_by_rounds;

struct Found {
  std::size_t fastest;
  std::vector<std::size_t> asked;  ///< In the order of the measurements.

  auto count(std::size_t i) const { return std::ranges::count(asked, i); }
};

/// `time(i, round)`: the i-th's, in its own round from 0 on.
Found find(std::size_t count, const std::function<double(std::size_t, std::size_t)>& time) {
  Found found{};
  std::vector<std::size_t> rounds(count);
  found.fastest = fastest_by_rounds(count, [&](std::size_t i) {
    found.asked.push_back(i);
    return time(i, rounds[i]++);
  });
  return found;
}

TEST(Fastest, OneAloneIsNotMeasured) {
  const Found found = find(1, [](auto, auto) { return 1.; });
  EXPECT_EQ(found.fastest, 0u);
  EXPECT_TRUE(found.asked.empty());
}

TEST(Fastest, AllTakeTurns) {
  const Found found = find(3, [](auto, auto) { return 1.; });
  EXPECT_EQ(std::vector(found.asked.begin(), found.asked.begin() + 9),
            (std::vector<std::size_t>{0, 1, 2, 1, 2, 0, 2, 0, 1}));
}

TEST(Fastest, HasFewRoundsOfSlowOnesAndManyOfNearOnes) {
  const double times[] = {103.1, 201, 100, 199, 102.9};
  const Found found = find(5, [&](auto i, auto) { return times[i]; });
  EXPECT_EQ(found.fastest, 2u);
  EXPECT_EQ(found.count(1), 2);  // more than twice the shortest
  EXPECT_EQ(found.count(3), 8);
  EXPECT_EQ(found.count(0), 8);  // more than 3 % above it
  EXPECT_EQ(found.count(2), 24);
  EXPECT_EQ(found.count(4), 24);
}

TEST(Fastest, EndsOnceOneIsLeft) {
  const auto two = [](double second) { return find(2, [=](auto i, auto) { return i == 1 ? 10. : second; }); };
  EXPECT_EQ(two(21).fastest, 1u);
  EXPECT_EQ(two(21).asked.size(), 4u);
  EXPECT_EQ(two(20).asked.size(), 16u);  // no more than twice
  EXPECT_EQ(two(11).fastest, 1u);
}

/// A clock that rises, or a neighbour, spoils single times: neither the first ones nor the shortest decide.
TEST(Fastest, DecidesByMedians) {
  const auto slow_first = [](auto i, auto round) { return i == 0 ? (round == 0 ? 1000. : 10.) : 10.2; };
  EXPECT_EQ(find(2, slow_first).fastest, 0u);
  EXPECT_EQ(find(2, slow_first).count(0), 24);  // a slow first round alone drops none
  EXPECT_EQ(find(2, [](auto i, auto round) { return i == 0 && round == 5 ? 1. : i == 0 ? 10.2 : 10.; }).fastest, 1u);
  // Near by the medians of eight rounds, and decided by those of all.
  EXPECT_EQ(find(2, [](auto i, auto round) { return i == 1 && round > 7 ? 9. : i == 1 ? 10.2 : 10.; }).fastest, 1u);
}

}  // namespace
