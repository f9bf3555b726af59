// Expected wall time of a plan's groups, and the share of a budget that each gets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/plan.hpp"

namespace crosswarp {

/// Launches that verify a row in one placement, for each launch of a sample.
inline constexpr double launches_to_verify = 8;

class Schedule {
 public:
  Schedule(const Options& options, const Plan& plan, Executor& executor);

  /// Wall seconds of a group, and of it and all later ones, as first estimated.
  double expected(std::size_t group) const { return expected_[group]; }
  double expected_from(std::size_t group) const;

  /// The stopping rule of a group that may take its share of `seconds_left`, where the rest of the run is expected to
  /// take `later` seconds; none if even the shortest run takes much longer. Without a budget the rule of the options.
  std::optional<StopRule> rule(std::size_t group, double seconds_left, double later) const;

  /// Times of a rung at one point predict those at larger ones.
  void learn(const std::vector<Result>& results);

 private:
  double launch_seconds(const Cell& cell, const DeviceInfo& device) const;
  double group_seconds(const Group& group) const;
  double shortest(const Group& group) const;
  void for_each_row(const Group& group, const auto& visit) const;

  const Options& options_;
  const Plan& plan_;
  Executor& executor_;
  std::vector<double> expected_;
  std::map<std::string, std::vector<std::pair<Point, double>>> known_;  // seconds of a launch by rung and point
};

}  // namespace crosswarp
