// Profilers inject themselves by environment variables.
#include "bench/profiler.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace crosswarp {

std::string profiler_attached() {
  for (const char* variable : {"NSYS_PROFILING_SESSION_ID",                       // Nsight Systems
                               "NV_NSIGHT_INJECTION_PORT_BASE",                   // Nsight Compute
                               "NV_NSIGHT_INJECTION_TRANSPORT_TYPE",              //
                               "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",  //
                               "ROCP_TOOL_LIBRARIES"})                            // rocprofv3
    if (const char* value = std::getenv(variable); value && *value)
      return fmt::format("under a profiler ({} is set), which changes times", variable);
  return {};
}

}  // namespace crosswarp
