// Round-robin sampling with a stopping rule.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace crosswarp {

/// Stopping rule of a cell. Times in seconds.
struct StopRule {
  double min_time = 0.08;        ///< Device time after which a cell is done.
  double precision = 0.002;      ///< Done earlier at this relative precision of the median, with 95 % confidence,
  std::size_t min_samples = 32;  ///< and this many samples.
  std::size_t max_samples = 400;
  std::size_t placements = 16;  ///< Allocations at other addresses, at most, which share all of the above.
  double time_limit = 0.5;      ///< Wall time after which a cell is cut off, with the samples it has.
  std::size_t launches = 20;    ///< Most launches in a sample.
  double point_limit = 1e9;     ///< Wall time of all cells of a point, verified at least once: fewer samples fit it in.
};

/// The rule of one placement. Counts are rounded up. Precision needs six samples or more.
StopRule share(StopRule rule);

struct Samples {
  std::vector<double> seconds;  ///< One per round, from the first on.
  std::string stopped;          ///< `precision`, `min_time`, `max_samples`, `time_limit`, or `error`.
  std::string error;            ///< Message of an exception.
  double wall = 0;              ///< Seconds of all its samples.
};

/// Samples all rows in rounds, one sample each, so that drift affects all alike; each round starts with another row. A
/// row returns one sample in seconds. Rounds continue until every row is done: sample i of any two rows is from the
/// same round. A row that is done stays until it has had `min_time`; one that reaches its time limit or throws leaves
/// at once. `companions` take part in each
/// round but do not prolong the sampling; their samples are last. `before_round` is called before each round; its
/// exceptions end the sampling. `now`: wall clock in seconds.
std::vector<Samples> sample_round_robin(const std::vector<std::function<double()>>& rows, const StopRule& rule,
                                        const std::function<double()>& now,
                                        const std::vector<std::function<double()>>& companions = {},
                                        const std::function<void()>& before_round = nullptr);

}  // namespace crosswarp
