// Detects an attached profiler.
#pragma once

#include <string>

namespace crosswarp {

/// `under a profiler (NSYS_PROFILING_SESSION_ID is set), which changes times`; empty for none.
std::string profiler_attached();

}  // namespace crosswarp
