// Measured ceilings of this machine's devices, kept in a file between runs.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/device.hpp"

namespace crosswarp {

/// Measured rates of device parts, in bytes, operations or accesses per second.
class Ceilings {
 public:
  /// Empty, and kept in no file.
  Ceilings() = default;
  /// Reads the ceilings of this machine from `file`, which need not exist. Leaves out what no device reaches, and all
  /// of a damaged file.
  explicit Ceilings(std::string file);
  /// crosswarp/ceilings.json in $XDG_CACHE_HOME or ~/.cache; no file if neither variable is set.
  static Ceilings of_this_machine();

  /// The file's path; empty for none.
  const std::string& file() const { return file_; }
  /// What was left out of the file, and why; empty for nothing.
  const std::string& problem() const { return problem_; }
  /// Throws Error if the file cannot be written.
  void check_file() const;
  /// 0 for unknown.
  double rate(const DeviceInfo& device, std::string_view part) const;
  /// Raises a rate to `measured` if that is larger, here and in the file. A file that cannot be written is ignored.
  void raise(const DeviceInfo& device, std::string_view part, double measured);
  /// Replaces all rates of a device, here and in the file. Throws Error if the file cannot be written.
  void replace(const DeviceInfo& device, const Peaks& measured);

 private:
  void write() const;

  std::string file_, problem_;
  std::map<std::string, Peaks> rates_;  // by device
};

}  // namespace crosswarp
