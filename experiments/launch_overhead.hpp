// What a launch costs: many launches of a kernel that only counts them. Bound by whoever hands them out: the host, the
// driver, or the device's front end.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/format.hpp"

namespace crosswarp {

/// `launches` launches one after the other, each of which adds one to a counter in device memory: the first one sets it
/// to 1. Launch i+1 must see what launch i wrote, so the additions are plain ones: launches that overlap, get lost or
/// come twice leave another count.
///
/// mode `stream`: enqueued one by one. `graph`: one by one the first, the others as one recorded graph. `host_sync`:
/// the host waits for each before it enqueues the next.
///
/// Rungs with results on the device are gated: nothing starts before all is enqueued, so that the device's own period
/// is measured; a stream holds about a thousand launches before the host has to wait, and the gate would wait for the
/// host: so these are for few launches at a time. The others start as they come: there the host's rate is measured.
class LaunchOverhead {
 public:
  static constexpr std::string_view name = "launch_overhead";
  static constexpr bool may_undercut_a_launch = true;  // a launch is what it times
  static constexpr std::string_view summary = "the time of one launch of a kernel that does next to nothing";

  struct Args {
    std::span<std::uint64_t> count;  ///< Device memory, one element, poisoned: not to be read before it is written.
    unsigned launches;               ///< At least 1; at least 2 where `mode` is graph.
  };

  /// Launches up to which a rung may be gated: a sample holds 20 times as many.
  static constexpr std::int64_t most_gated = 45;
  static bool can_be_gated(const Point& point) { return point.integer("launches") <= most_gated; }

  static std::vector<Axis> axes() {
    return {{.name = "mode",
             .meaning = "how the launches are handed out",
             .bench = {"stream", "graph", "host_sync"},
             .allowed = {"stream", "graph", "host_sync"}},
            {.name = "launches",
             .meaning = "launches that are timed as one",
             .bench = {std::int64_t{40}, std::int64_t{1000}},
             .least = 1,
             .most = 1 << 20}};
  }

  static bool exists(const Point& point) { return point.word("mode") != "graph" || point.integer("launches") > 1; }

  static std::vector<TestPoint> test_points() {
    std::vector<TestPoint> points;
    for (const char* mode : {"stream", "graph", "host_sync"})
      for (const std::int64_t launches : {1, 2, 3, 45, 130})
        points.push_back({product(axes(), {{mode}, {launches}}).front(), false});
    std::erase_if(points, [](const TestPoint& test) { return !exists(test.point); });
    return points;
  }

  /// Time per access is time per launch. No part of a device says how fast that could be.
  static Cost cost(const Point& point) {
    return {.bytes_written = sizeof(std::uint64_t),
            .accesses = static_cast<double>(point.integer("launches")),
            .rated = Quantity::accesses,
            .ceiling = ""};
  }

  static std::size_t footprint(const Point&) { return sizeof(std::uint64_t) + 2 * Buffer<std::uint64_t>::guard; }

  LaunchOverhead(Device& device, const Point& point, std::uint64_t, std::size_t sets)
      : device_(device), launches_(static_cast<unsigned>(point.integer("launches"))) {
    for (std::size_t set = 0; set < sets; ++set) count_.emplace_back(device, 1);
  }

  Args args(std::size_t set) const { return {count_[set].span(), launches_}; }

  Memory outputs(std::size_t set) const { return {count_[set].bytes()}; }

  void poison() {
    for (auto& count : count_) count.poison();
  }

  Verdict check(ResultIn) const {
    device_.synchronize();
    for (std::size_t set = 0; set < count_.size(); ++set) {
      if (!count_[set].guards_intact()) return {.ok = false, .where = "a guard band beside the counter was written to"};
      const std::uint64_t count = count_[set].read(0);
      if (count == launches_) continue;
      return {.ok = false,
              .error = std::abs(static_cast<double>(count) - static_cast<double>(launches_)),
              .bound = 0,
              .where = "counter " + std::to_string(set) + " is " + std::to_string(count) + ", should be " +
                       std::to_string(launches_)};
    }
    return {.ok = true, .error = 0, .bound = 0, .where = {}};
  }

  /// The price of one launch by each rung; from two numbers of launches also what each further one adds, and what they
  /// cost together, beside that.
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes) {
    std::map<std::pair<std::string, std::string>, std::vector<Outcome>> rungs;
    for (const Outcome& outcome : outcomes) rungs[{outcome.point.word("mode"), outcome.rung}].push_back(outcome);
    std::vector<std::string> lines;
    for (auto& [which, points] : rungs) {
      std::sort(points.begin(), points.end(),
                [](const Outcome& a, const Outcome& b) { return a.cost.accesses < b.cost.accesses; });
      const Outcome &few = points.front(), &many = points.back();
      std::string line = which.first + ", " + which.second + ": " + si(many.seconds / many.cost.accesses, "s") +
                         " a launch (" + fixed(many.cost.accesses, 0) + " at a time)";
      if (many.cost.accesses > few.cost.accesses) {
        const double slope = (many.seconds - few.seconds) / (many.cost.accesses - few.cost.accesses);
        const double once = few.seconds - slope * few.cost.accesses;
        line += "; each further one " + si(slope, "s");
        if (once > 0) line += ", once " + si(once, "s");
      }
      lines.push_back(line);
    }
    return lines;
  }

 private:
  Device& device_;
  unsigned launches_;
  std::vector<Buffer<std::uint64_t>> count_;
};

extern template ExperimentEntry describe<LaunchOverhead>();

}  // namespace crosswarp
