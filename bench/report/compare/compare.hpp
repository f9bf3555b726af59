// `bench compare`: two runs cell by cell, or the backends of one run.
#pragma once

#include <string>
#include <vector>

#include "bench/report/output.hpp"

namespace crosswarp {

struct CompareOptions {
  std::vector<std::string> inputs;    ///< The old run and the new one; or one, with its backends to compare.
  std::vector<std::string> backends;  ///< Each a backend, for its fastest rung, or a rung: `cuda/float4`.
  double threshold = 0.02;            ///< Least relative change of a time that counts.
  double coarse_threshold = 0.10;     ///< The same where placements do not show the noise.
  bool without_throttled = false;     ///< Without rows, and energy, of a device slowed down for power or heat.
  bool all = false;                   ///< Show every cell or rung, not only changes or the fastest.
  Page::Format format = Page::Format::text;
  std::string output;  ///< Output file (default: stdout).
};

/// Writes the cells that are faster or slower in the second run, and those that one run lacks or has not ok. Returns
/// false if a cell is slower, or newly wrong, failed or implausible. Throws Error if a file cannot be read or written,
/// or if the runs have no cell in common.
bool compare_runs(const CompareOptions& comparison);

/// Writes, point by point, how many times as fast as the first backend the others are, and how their kernels and
/// counters differ. Throws Error if the file cannot be read or written, lacks a backend, or has no point at which two
/// backends have a time on one device.
void compare_backends(const CompareOptions& comparison);

}  // namespace crosswarp
