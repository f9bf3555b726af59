// Progress line with the time left, if standard error is a terminal.
#pragma once

#include <chrono>
#include <string>

#include "bench/plan.hpp"
#include "core/position.hpp"
#include "core/report.hpp"

namespace crosswarp {

class Progress {
 public:
  /// `steps`: number of points.
  Progress(bool quiet, std::size_t steps);

  /// Starts the next point, with `cells` cells to do. `what`: `times`, `counters`.
  void begin(const Group& group, std::size_t cells, const std::string& what);
  /// Shows the current placement.
  void show(std::uint64_t placement, std::size_t placements);
  /// Ends the point. `took_time`: false for points without work, which say nothing about the time left.
  void done(bool took_time);
  /// Clears the line, for other output.
  void clear() const;

 private:
  double seconds_left(double share) const;

  bool on_;
  Terminal terminal_;
  std::size_t steps_, at_ = 0, timed_ = 0;
  std::string what_;
  std::chrono::steady_clock::time_point began_;
  double spent_ = 0;  // seconds on points with work
};

}  // namespace crosswarp
