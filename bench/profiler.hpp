// Whether somebody else is measuring this process.
#pragma once

#include <string>

namespace crosswarp {

/// `under a profiler (NSYS_PROFILING_SESSION_ID is set), which changes times`; empty where there is none that tells.
std::string profiler_attached();

}  // namespace crosswarp
