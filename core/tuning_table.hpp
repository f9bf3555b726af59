// Tunings that `bench tune` found, by device, variant and point: the choice of variants that are tuned by a table.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/point.hpp"
#include "core/variant.hpp"

namespace crosswarp {

/// The best known tuning of a variant at one point.
struct TunedPoint {
  std::string device;   ///< DeviceInfo::name
  std::string variant;  ///< `cuda/reduce_sum/float4`
  std::string source;   ///< source_of() the variant when it was tuned.
  Point point;
  std::string tuning;       ///< Tuning::name()
  double seconds = 0;       ///< Time of a launch.
  double over_default = 1;  ///< Times as fast as the default tuning.
};

/// Identifies the file of a module's variant by its hash; empty for a built-in variant, whose tunings hold as long as
/// it declares them.
std::string source_of(const VariantEntry& variant);

/// Points of one or more devices.
class TuningTable {
 public:
  TuningTable() = default;
  /// Reads a file, which need not exist. Leaves out all of a damaged one.
  explicit TuningTable(const std::string& file);
  /// `tunings.json` in crosswarp's folder of $XDG_STATE_HOME or ~/.local/state, or the file $CROSSWARP_TUNINGS.
  static std::string file_of_user();

  /// Why the file was left out; empty for nothing.
  const std::string& problem() const { return problem_; }
  const std::vector<TunedPoint>& points() const { return points_; }

  /// Replaces what is known of the same device, variant and point, and removes what is known of the variant's former
  /// sources.
  void add(const TunedPoint& tuned);
  /// Adds the points of the file, where this table has none, and replaces the file. Throws Error.
  void write(const std::string& option, const std::string& file) const;

  /// The tuning of `variant` at the nearest point: with the same words, by the distance of the integers' logarithms.
  /// Null where the table has no such point of this device, this source and a tuning that the variant declares.
  const Tuning* find(const DeviceInfo& device, const VariantEntry& variant, const Point& point) const;

 private:
  std::vector<TunedPoint> points_;
  std::string problem_;
};

/// Distance of two points in log space: the root of the sum over integer axes of squared log2 of the quotients, where 0
/// counts as 1/2. Infinite where words or axes differ.
double log_distance(const Point& a, const Point& b);

}  // namespace crosswarp
