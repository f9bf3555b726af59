// bench devices --measure: the rates that a device's parts reach.
#pragma once

#include "bench/options.hpp"

namespace crosswarp {

/// Measures the parts of each device, prints their rates beside the theoretical ones, and keeps them
/// (core/ceilings.hpp). Throws Error if the file cannot be written.
void measure_ceilings(const Options& options);

}  // namespace crosswarp
