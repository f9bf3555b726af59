// Modules: variants built outside of the source tree, by crosswarp_add_variants() of the CMake package.
#pragma once

#include <string>

namespace crosswarp {

/// Loads the module at `path` once, and registers its variants. Loading is tried in a child process first. Throws Error
/// for: no such file, not a module, built against another crosswarp, missing dependencies, a variant that exists
/// already, and a child process that ends or takes longer than `hang_limit` seconds.
void load_module(const std::string& path, double hang_limit);

}  // namespace crosswarp
