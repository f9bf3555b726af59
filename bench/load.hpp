// Kernels from files outside of the source tree: modules, which crosswarp_add_variants() of the CMake package builds.
#pragma once

#include <string>

namespace crosswarp {

/// Loads the module at `path`, for as long as the program runs; once, however often it is asked for. What it holds is
/// then in the registry, like what was linked in. Throws Error where there is no such file, where it is no module,
/// where it was built against another crosswarp, where it needs what is not there, where it holds a variant that
/// there is already, and where loading it, which is tried in a process of its own, ends that process or takes longer
/// than `hang_limit` seconds.
void load_module(const std::string& path, double hang_limit);

}  // namespace crosswarp
