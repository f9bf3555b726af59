# Writes into the folder OUTPUT version.cpp, with the version, the commit and the build type, and module.cpp, which marks a
# module (bench --load) as built against this version and these headers. Touches what has changed. Run at build time.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE commit RESULT_VARIABLE failed
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed OR commit STREQUAL "")
  set(commit unknown)
endif()
string(TOLOWER "${BUILD_TYPE}" build_type)

file(GLOB_RECURSE headers ${SOURCE}/core/*.hpp ${SOURCE}/experiments/*.hpp ${SOURCE}/backends/*.hpp)
set(hashes "")
foreach(header ${headers})
  file(SHA256 ${header} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 headers "${hashes}")
string(SUBSTRING ${headers} 0 12 headers)

file(CONFIGURE OUTPUT ${OUTPUT}/version.cpp CONTENT [[
// Made by cmake/version.cmake.
#include "bench/version.hpp"

namespace crosswarp {

const char* version() { return "@VERSION@"; }
const char* commit() { return "@commit@"; }
const char* build_type() { return "@build_type@"; }
const char* flags() { return "@FLAGS@"; }
const char* headers() { return "@headers@"; }

}  // namespace crosswarp
]] @ONLY)
file(CONFIGURE OUTPUT ${OUTPUT}/module.cpp CONTENT [=[
// Made by cmake/version.cmake: what bench --load looks for in a module.
extern "C" {
extern const char crosswarp_module[];
[[gnu::used]] const char crosswarp_module[] = "crosswarp module for version @VERSION@ with headers @headers@";
}
]=] @ONLY)
