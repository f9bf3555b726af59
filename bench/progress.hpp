// Progress line with the time left, if standard error is a terminal.
#pragma once

#include <chrono>
#include <string>

#include "core/position.hpp"
#include "core/report.hpp"

namespace crosswarp {

class Progress {
 public:
  /// `steps`: number of points.
  Progress(bool quiet, std::size_t steps);

  /// Expected wall seconds of a step and of all later ones.
  struct Expected {
    double step, later;
  };
  /// Starts the next step. `what`: the experiment and the point; `details` are left out of a
  /// narrow line. `is_new_step`: false for more of the same step.
  void begin(const std::string& what, const std::string& details, Expected expected, bool is_new_step = true);
  /// Shows the current placement.
  void show(std::uint64_t placement, std::size_t placements);
  /// Ends the step. `took_time`: false for steps without work, which say nothing about the time left.
  void done(bool took_time);
  /// Clears the line, for other output.
  void clear() const;

 private:
  double seconds_left() const;

  bool on_;
  Terminal terminal_;
  std::size_t steps_, at_ = 0;
  std::string what_, details_;
  Expected expected_{};
  std::chrono::steady_clock::time_point began_;
  double spent_ = 0, expected_spent_ = 0;  // seconds of steps with work
};

}  // namespace crosswarp
