// The shortest of several times, each measured over and over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/statistics.hpp"

namespace crosswarp::gpu {

/// The index of the shortest of `count` times, one or more, by the medians of what `time(i)` measures. All take turns,
/// so that a clock that changes changes for all, each round with another one first. After two rounds those drop out
/// whose shortest time is more than twice the least, after eight those whose median is more than 3 % above the least;
/// what is left then has 24. It ends once one is left, and asks for no time if there is but one.
template <class Time>
std::size_t fastest_by_rounds(std::size_t count, const Time& time) {
  constexpr int trial_rounds = 2, rounds = 8, rounds_of_near = 24;
  constexpr double hopeless = 2, near = 1.03;
  std::vector<std::vector<double>> times(count);
  const auto shortest = [&](std::size_t i) { return *std::ranges::min_element(times[i]); };
  const auto median_time = [&](std::size_t i) { return median(times[i]); };
  std::vector<std::size_t> left(count);
  std::iota(left.begin(), left.end(), 0);
  const auto drop = [&](const auto& of, double most) {
    const double least = of(std::ranges::min(left, {}, of));
    std::erase_if(left, [&](std::size_t i) { return of(i) > most * least; });
  };
  for (int round = 0; round < rounds_of_near && left.size() > 1; ++round) {
    for (const std::size_t i : left) times[i].push_back(time(i));
    std::rotate(left.begin(), left.begin() + 1, left.end());
    if (round + 1 == trial_rounds) drop(shortest, hopeless);
    if (round + 1 == rounds) drop(median_time, near);
  }
  return std::ranges::min(left, {}, median_time);
}

}  // namespace crosswarp::gpu
