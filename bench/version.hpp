// Which crosswarp this is. The definitions are made by the build (cmake/version.cmake).
#pragma once

namespace crosswarp {

const char* version();
const char* commit();  ///< `git describe`, with `-dirty` where files differ from it; `unknown` outside a repository.
const char* build_type();  ///< `release`, `debug`
const char* headers();     ///< A hash of all headers that modules (bench/load.hpp) may include.

}  // namespace crosswarp
