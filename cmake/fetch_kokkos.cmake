# Builds the official release of Kokkos with this project, for the host and, with CUDA, for the first of its GPUs. Where it
# cannot be downloaded, one line says why, and what is installed is taken.
set(CROSSWARP_KOKKOS_URL https://github.com/kokkos/kokkos/releases/download/5.2.2/kokkos-5.2.2.tar.gz
  CACHE STRING "Kokkos release to fetch; a mirror or file:// will do")
set(CROSSWARP_KOKKOS_SHA256 d6557aaef39302282a15f9c770433d1fcdf4e961dfd6d9ed726b9d0d0f546b9f
  CACHE STRING "SHA-256 of that release")
set(archive ${PROJECT_SOURCE_DIR}/.deps/kokkos-${CROSSWARP_KOKKOS_SHA256}.tar.gz)  # outlives build folders
if(NOT EXISTS ${archive})
  file(DOWNLOAD ${CROSSWARP_KOKKOS_URL} ${archive}.part STATUS status TIMEOUT 300 INACTIVITY_TIMEOUT 10)
  if(NOT status MATCHES "^0;")
    message(STATUS "crosswarp: no Kokkos from ${CROSSWARP_KOKKOS_URL} (${status}): taking what is installed instead")
    return()
  endif()
  file(RENAME ${archive}.part ${archive})
endif()

set(options ENABLE_SERIAL ENABLE_OPENMP)
if(CROSSWARP_HAS_CUDA)
  list(APPEND options ENABLE_CUDA ENABLE_COMPILE_AS_CMAKE_LANGUAGE)
  # Kokkos takes one architecture, by its own name.
  string(REGEX MATCH "[0-9]+" architecture "${CMAKE_CUDA_ARCHITECTURES}")
  set(names AMPERE80 AMPERE86 AMPERE87 ADA89 HOPPER90 BLACKWELL100 BLACKWELL103 BLACKWELL120 BLACKWELL121)
  list(FILTER names INCLUDE REGEX "[A-Z]${architecture}$")
  list(APPEND options ARCH_${names})
endif()
foreach(option ${options})
  set(Kokkos_${option} ON CACHE BOOL "")
endforeach()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(FetchContent)
FetchContent_Declare(kokkos SYSTEM URL file://${archive} URL_HASH SHA256=${CROSSWARP_KOKKOS_SHA256})
FetchContent_MakeAvailable(kokkos)
unset(CMAKE_POSITION_INDEPENDENT_CODE)
get_directory_property(Kokkos_VERSION DIRECTORY ${kokkos_SOURCE_DIR} DEFINITION Kokkos_VERSION)
get_directory_property(Kokkos_DEVICES DIRECTORY ${kokkos_SOURCE_DIR} DEFINITION KOKKOS_ENABLED_DEVICES)
set(Kokkos_DIR ${kokkos_BINARY_DIR})
