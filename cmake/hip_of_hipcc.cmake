# HIP where CMake finds none, but hipcc is: Debian 12 spreads ROCm over /usr, and its CMake knows only ROCm's own layout.
# hipcc tells which compiler it runs, and with which paths; CMake needs no more of it.
find_program(CROSSWARP_HIPCC hipcc PATHS /opt/rocm/bin)
if(NOT CROSSWARP_HIPCC)
  return()
endif()
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
# A stand-in for the package that CMake wants to find, whose options are for ROCm's own layout.
set(CMAKE_HIP_COMPILER_ROCM_ROOT ${CMAKE_CURRENT_LIST_DIR}/hip_of_hipcc)
