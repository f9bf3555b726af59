// The last runs of the user's folder, for commands without files.
#pragma once

#include <string>
#include <vector>

namespace crosswarp {

// Runs that another process is writing do not count. Each throws Error, with `command` in front, if there is no such
// run.

/// The last run.
std::string last_run(const std::string& command);
/// The last run with a result.
std::string last_results(const std::string& command);
/// The last run with a time, and before it the last one that timed one of its cells on the same device.
std::vector<std::string> last_comparable_results(const std::string& command);

}  // namespace crosswarp
