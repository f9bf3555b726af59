# The platforms that kernels are compiled for, and Kokkos: for this project, and for modules of an installed crosswarp.
# Given: CROSSWARP_ROOT, the folder of core/, experiments/ and backends/, and CROSSWARP_<PART>, which is ON, REQUIRED or OFF.
# Sets CROSSWARP_HAS_<PART> where a part is found.

# Ends the configuration if the part is REQUIRED, else says that it is left out.
function(crosswarp_missing part what)
  if(CROSSWARP_${part} STREQUAL REQUIRED)
    message(FATAL_ERROR "There is no ${what}, and CROSSWARP_${part}=REQUIRED asks for it; "
      "-DCROSSWARP_${part}=OFF leaves it out")
  endif()
  message(STATUS "crosswarp: built without ${part}, since there is no ${what}")
endfunction()

# Adds the platform `name` (cuda, hip, simt), the folder below backends/ with "platform/…". `language`: CMake's for its .cu
# files.
function(crosswarp_platform name language)
  add_library(crosswarp_${name}_platform INTERFACE)
  target_include_directories(crosswarp_${name}_platform INTERFACE ${CROSSWARP_ROOT}/backends/${name})
  set_target_properties(crosswarp_${name}_platform PROPERTIES CROSSWARP_LANGUAGE ${language})
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/cuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/hip.cmake)
foreach(language CXX CUDA HIP)
  set(CMAKE_${language}_STANDARD 20)
  set(CMAKE_${language}_STANDARD_REQUIRED ON)
  set(CMAKE_${language}_EXTENSIONS OFF)
endforeach()

if(CROSSWARP_SIMT)
  find_package(Boost QUIET CONFIG OPTIONAL_COMPONENTS context)  # fibers
  if(TARGET Boost::context)
    set(CROSSWARP_HAS_SIMT ON)
    crosswarp_platform(simt CXX)
    target_link_libraries(crosswarp_simt_platform INTERFACE Boost::context)
    target_compile_options(crosswarp_simt_platform INTERFACE -Wno-unknown-pragmas)  # `#pragma unroll` is for nvcc
  else()
    crosswarp_missing(SIMT "Boost.Context (libboost-context-dev)")
  endif()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/kokkos.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
