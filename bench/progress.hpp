// One line on a terminal: what runs, how far it is, how long it still takes. Nothing where standard error is no
// terminal.
#pragma once

#include <chrono>
#include <string>

#include "bench/plan.hpp"
#include "core/position.hpp"
#include "core/report.hpp"

namespace crosswarp {

class Progress {
 public:
  /// Of `steps` points in all.
  Progress(bool quiet, std::size_t steps);

  /// The next point begins; `what` is done to `cells` of its cells.
  void begin(const Group& group, std::size_t cells, const std::string& what);
  /// It is at this placement of so many.
  void show(std::uint64_t placement, std::size_t placements);
  /// It is done. `took_time`: whether what is to come takes as long; what was there already does not.
  void done(bool took_time);
  /// So that something else can be printed.
  void clear() const;

 private:
  double seconds_left(double share) const;

  bool on_;
  Terminal terminal_;
  std::size_t steps_, at_ = 0, timed_ = 0;
  std::string what_;
  std::chrono::steady_clock::time_point began_;
  double spent_ = 0;  // seconds, on what took time
};

}  // namespace crosswarp
