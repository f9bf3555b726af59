# Writes OUTPUT with the version, the commit and the build type; touches it only if they changed. Run at build time.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE commit RESULT_VARIABLE failed
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed OR commit STREQUAL "")
  set(commit unknown)
endif()
string(TOLOWER "${BUILD_TYPE}" build_type)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Made by cmake/version.cmake.
#include "bench/version.hpp"

namespace crosswarp {

const char* version() { return "@VERSION@"; }
const char* commit() { return "@commit@"; }
const char* build_type() { return "@build_type@"; }

}  // namespace crosswarp
]] @ONLY)
