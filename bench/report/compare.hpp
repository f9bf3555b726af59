// What differs between two runs, and between the backends of one.
#pragma once

#include <string>
#include <vector>

#include "bench/report/output.hpp"

namespace crosswarp {

struct CompareOptions {
  std::vector<std::string> inputs;    ///< The old run and the new one; or one, with its backends to compare.
  std::vector<std::string> backends;  ///< Each a backend, for its fastest rung, or a rung: `cuda/float4`.
  double threshold = 0.02;            ///< The least change of a time that counts.
  double coarse_threshold = 0.10;     ///< The same where placements do not show the noise.
  bool all = false;                   ///< Every cell, or every rung, in place of those that stand out.
  Page::Format format = Page::Format::text;
  std::string output;  ///< A file, or empty for standard output.
};

/// Writes which cells are faster or slower in the second run than in the first, and which are no longer there or ok.
/// Returns whether none is slower and none newly wrong, failed or implausible. Throws Error where a file cannot be read
/// or written, and where no cell is in both.
bool compare_runs(const CompareOptions& comparison);

/// Writes how many times as fast as the first the other backends are, point by point, and what else differs between the
/// two rows. Throws Error where the file cannot be read or written, lacks what is asked for, or has no point at which
/// two of them have a time on the same device.
void compare_backends(const CompareOptions& comparison);

}  // namespace crosswarp
