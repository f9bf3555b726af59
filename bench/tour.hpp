// The tour: each experiment at its headline point, with each backend's first, fastest and library variants, within a
// time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan.hpp"
#include "core/verdicts.hpp"

namespace crosswarp {

/// Chooses points and variants by trying them: every variant for a few launches, from the smallest headline point up to
/// the largest one that fits the device and the time.
class Tour {
 public:
  /// `backends`: of one machine; the order of columns and rows.
  Tour(const Options& options, std::vector<std::string> backends, Executor& executor);

  struct Stop {
    Group group;
    StopRule rule;  ///< Keeps the group within its share of the time.
    Phases trying;  ///< Wall time of the choice.
  };
  /// Number of stops to come, at most.
  std::size_t left() const { return experiments_.size() - next_; }
  /// The name of the next stop's experiment. Requires left() > 0.
  const std::string& next_name() const { return experiments_[next_]->name; }
  /// The next stop, within its share of `seconds_left`, if its smallest point can keep that. None if no time is left
  /// after the first, if its experiment cannot run here, or after an interruption.
  std::optional<Stop> next(double seconds_left);

  /// The experiments at points smaller than their headlines, and those left out: one per line, for people.
  std::string remarks() const;

 private:
  struct Tried {
    std::vector<Result> results;
    Phases wall;
  };
  std::vector<Point> fitting_points(const ExperimentEntry& experiment);
  bool on_gpu() const;
  Tried try_out(const std::vector<Cell>& cells);
  Group group_of(const std::vector<Result>& tried) const;

  const Options& options_;
  const std::vector<std::string> backends_;
  Executor& executor_;
  std::vector<const ExperimentEntry*> experiments_;
  std::size_t next_ = 0;
  std::vector<std::string> smaller_, no_time_left_;  // experiments
  std::vector<std::string> left_out_;                // experiments, with reasons
};

/// One row per experiment: fastest variant, time, share of its peak, how many times as fast it is as the first rung,
/// the library and the other backends, and what bounds it. Empty without times.
std::string overview(const std::vector<ExperimentVerdict>& verdicts, const Terminal& terminal);

}  // namespace crosswarp
