// Time of a kernel launch: many launches of a kernel that only counts them. Bound by the host, the driver, or the
// device's front end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// `launches` launches in order. The first one sets a counter in device memory to 1, each further one adds 1 without an
/// atomic. So launches that overlap, get lost or run twice leave another count.
///
/// mode `stream`: enqueues launches one by one. `graph`: enqueues the first launch, then the others as one recorded
/// graph. `host_sync`: waits on the host for each launch before enqueueing the next.
///
/// Rungs with results on the device are gated: nothing starts before everything is enqueued, which measures the
/// device's own launch period. They apply to few launches at a time, since a stream holds about a thousand of them
/// before enqueueing blocks. Rungs with results on the host start at once, which measures the host's launch rate.
class LaunchOverhead {
 public:
  static constexpr std::string_view name = "launch_overhead";
  static constexpr bool may_undercut_a_launch = true;  // it times launches themselves
  static constexpr std::string_view summary = "time of one launch of a kernel that does next to nothing";

  struct Args {
    std::span<std::uint64_t> count;  ///< Device memory, one element, poisoned: write it before reading it.
    unsigned launches;               ///< At least 1; at least 2 in mode graph.
  };

  /// Max launches of a gated rung: a sample holds 20 times as many.
  static constexpr std::int64_t most_gated = 45;
  static bool can_be_gated(const Point& point) { return point.integer("launches") <= most_gated; }

  static std::vector<Axis> axes();
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  /// Time per access is time per launch. No ceiling.
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  /// Time per launch for each rung. With two numbers of launches also the marginal cost of a launch and the fixed cost.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  LaunchOverhead(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  Args args(std::size_t set) const { return {count_[set].span(), launches_}; }
  Memory outputs(std::size_t set) const { return {count_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;

 private:
  Device& device_;
  unsigned launches_;
  std::vector<Buffer<std::uint64_t>> count_;
};

extern template ExperimentEntry describe<LaunchOverhead>();

}  // namespace crosswarp
