// Hardware counters of AMD's GPUs, by rocprofv3 as a child process: rocprofiler-sdk itself must be registered before
// the HIP runtime starts, and its structures differ between versions.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/counters.hpp"

namespace crosswarp::gpu {

/// What counters depend on.
struct CountedDevice {
  std::string architecture;  ///< `gfx90a`
  int warps_per_unit = 0;    ///< Max resident warps of a compute unit.
};

class Rocprof {
 public:
  /// `folders`: where the tool may be; the first that has it counts. `limit`: of one child process.
  explicit Rocprof(const std::vector<std::string>& folders = known_folders(),
                   std::chrono::milliseconds limit = std::chrono::minutes(5));

  /// Runs `process` under the tool, once for each group of counters that fit one pass of the hardware, and reads the
  /// kernels of its last range. A group that the tool refuses is asked for counter by counter. A counter without an
  /// equivalent on AMD's GPUs has a reason in place of its value.
  ///
  /// Throws Error without the tool, where no counter could be read, where a process outlasts the limit, and for output
  /// that is not as documented.
  Counters count(const CountedDevice& device, const std::vector<const Counter*>& wanted,
                 const ProfiledProcess& process) const;

  /// Those on PATH, $ROCM_PATH/bin, /opt/rocm/bin.
  static std::vector<std::string> known_folders();

 private:
  std::string tool_;  // its path; empty without one
  std::chrono::milliseconds limit_;
};

}  // namespace crosswarp::gpu
