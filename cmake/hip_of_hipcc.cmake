# HIP where CMake finds none, but hipcc is: Debian 12 spreads ROCm over /usr, and its CMake knows only ROCm's own layout.
# hipcc tells which compiler it runs, and with which paths; CMake needs no more of it.
find_program(CROSSWARP_HIPCC hipcc PATHS /opt/rocm/bin)
execute_process(COMMAND ${CMAKE_COMMAND} -E env HIPCC_VERBOSE=1 ${CROSSWARP_HIPCC} --offload-arch=gfx90a -x hip -E /dev/null
  OUTPUT_VARIABLE command ERROR_QUIET)
if(NOT command MATCHES "hipcc-cmd: +([^ ]+)")
  return()
endif()
unset(CMAKE_HIP_COMPILER)  # check_language's, which would hide the cache's
set(CMAKE_HIP_COMPILER ${CMAKE_MATCH_1} CACHE FILEPATH "" FORCE)
string(REGEX MATCHALL "--(rocm-path|hip-device-lib-path)=[^ ]+" paths "${command}")
list(JOIN paths " " paths)
string(REPLACE "\"" "" paths "${paths}")
set(CMAKE_HIP_FLAGS "${paths}" CACHE STRING "What hipcc passes to the compiler of HIP")
# The package that CMake demands has options for ROCm's own layout. In its place: what every program in HIP is linked to.
set(CMAKE_HIP_COMPILER_ROCM_ROOT ${CMAKE_BINARY_DIR}/hip_of_hipcc)
file(CONFIGURE OUTPUT ${CMAKE_HIP_COMPILER_ROCM_ROOT}/lib/cmake/hip-lang/hip-lang-config.cmake CONTENT [[
add_library(hip-lang::device INTERFACE IMPORTED)
set_target_properties(hip-lang::device PROPERTIES INTERFACE_LINK_OPTIONS "$<$<LINK_LANGUAGE:HIP>:--hip-link>")
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
]] @ONLY)
