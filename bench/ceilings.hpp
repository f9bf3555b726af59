// What the parts of a device reach: measured by the experiments that say they measure one, kept for later runs.
#pragma once

#include <map>
#include <string>

#include "bench/options.hpp"
#include "core/device.hpp"

namespace crosswarp {

/// Of this machine's devices by name, as `bench devices --measure` left them; nothing where it never ran, or where the
/// file cannot be read. The file is crosswarp/ceilings.json in $XDG_CACHE_HOME, or in ~/.cache.
std::map<std::string, Peaks> read_ceilings();

/// Measures them on one device for each key that a backend sees, prints them beside the theoretical ones, and keeps
/// them. Throws Error where the file cannot be written.
void measure_ceilings(const Options& options);

}  // namespace crosswarp
