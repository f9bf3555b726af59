# Finds Kokkos 3.4 … 5.x and makes `crosswarp_kokkos_library` of it: first what Kokkos_ROOT points at, then what is
# installed, then, if asked, the official release, built once with CUDA.
set(CROSSWARP_HAS_KOKKOS OFF)
set(CROSSWARP_KOKKOS_ON_GPU OFF)
set(CROSSWARP_KOKKOS_PLATFORM "")  # of that GPU: cuda, hip
if(NOT CROSSWARP_KOKKOS)
  return()
endif()

if(CROSSWARP_FETCH_KOKKOS AND CROSSWARP_HAS_CUDA)
  include(fetch_kokkos)
endif()
# `separable_compilation`: a Kokkos that was built through its nvcc wrapper would otherwise redirect every compile of this
# project to the wrapper. What needs nvcc is compiled as CUDA here anyway.
find_package(Kokkos QUIET COMPONENTS separable_compilation)
if(NOT Kokkos_FOUND)
  message(STATUS "crosswarp: no Kokkos here, so no Kokkos backend; set Kokkos_ROOT, or install libtrilinos-kokkos-dev")
  return()
endif()
if(Kokkos_VERSION VERSION_LESS 3.4)
  message(STATUS "crosswarp: Kokkos ${Kokkos_VERSION} is older than 3.4, so no Kokkos backend")
  return()
endif()
# The default execution space is the GPU's if Kokkos has one. Its rows share the device layer of backends/gpu: CUDA's, or
# HIP's where there is no CUDA.
if("CUDA" IN_LIST Kokkos_DEVICES)
  set(CROSSWARP_KOKKOS_PLATFORM cuda)
  set(has_platform ${CROSSWARP_HAS_CUDA})
elseif("HIP" IN_LIST Kokkos_DEVICES)
  set(CROSSWARP_KOKKOS_PLATFORM hip)
  set(has_platform ${CROSSWARP_HAS_HIP})
  if(CROSSWARP_HAS_CUDA)
    set(has_platform OFF)
  endif()
elseif(Kokkos_DEVICES MATCHES "SYCL|OPENMPTARGET|OPENACC")
  message(STATUS "crosswarp: Kokkos at ${Kokkos_DIR} runs on ${CMAKE_MATCH_0}, which has no device layer here, so no "
    "Kokkos backend")
  return()
endif()
if(CROSSWARP_KOKKOS_PLATFORM)
  string(TOUPPER ${CROSSWARP_KOKKOS_PLATFORM} upper)
  if(NOT has_platform)
    set(lacks "no ${upper}")
    if(CROSSWARP_HAS_CUDA)
      set(lacks "CUDA")
    endif()
    message(FATAL_ERROR "Kokkos at ${Kokkos_DIR} was built for ${upper}, and this build has ${lacks}: take the preset "
      "`${CROSSWARP_KOKKOS_PLATFORM}`, or point Kokkos_ROOT at a Kokkos for the host, or set -DCROSSWARP_KOKKOS=OFF")
  endif()
  set(CROSSWARP_KOKKOS_ON_GPU ON)
endif()

add_library(crosswarp_kokkos_library INTERFACE)
get_target_property(include_directories Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
if(include_directories AND NOT EXISTS "${include_directories}/Kokkos_Core.hpp" AND TARGET trilinos_kokkoscore)
  # Debian's and Ubuntu's libtrilinos-kokkos-dev exports /usr/lib/include for /usr/include/trilinos.
  set(include_directories /usr/include/trilinos)
  set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${include_directories})
endif()
if(include_directories)
  target_include_directories(crosswarp_kokkos_library SYSTEM INTERFACE ${include_directories})
endif()
target_link_libraries(crosswarp_kokkos_library INTERFACE Kokkos::kokkos)
if(CROSSWARP_KOKKOS_ON_GPU AND TARGET Kokkos::kokkoscore)
  # A Kokkos built through its nvcc wrapper, or by hipcc as the C++ compiler, exports their options as if they were the C++
  # compiler's, which refuses them. Here they belong to what is compiled as CUDA or HIP, without the architecture, which
  # CMAKE_CUDA_ARCHITECTURES or CMAKE_HIP_ARCHITECTURES decides.
  foreach(property INTERFACE_COMPILE_OPTIONS INTERFACE_COMPILE_DEFINITIONS INTERFACE_LINK_OPTIONS)
    get_target_property(value Kokkos::kokkoscore ${property})
    if(value)
      string(REPLACE "COMPILE_LANGUAGE:CXX" "COMPILE_LANGUAGE:${upper}" value "${value}")
      string(REGEX REPLACE "-arch=sm_[0-9a-z]+|--offload-arch=[0-9a-z:+,-]+|-xhip|--hip-link" "" value "${value}")
      set_target_properties(Kokkos::kokkoscore PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  if("OPENMP" IN_LIST Kokkos_DEVICES AND CROSSWARP_KOKKOS_PLATFORM STREQUAL cuda)
    target_compile_options(crosswarp_kokkos_library INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fopenmp>)
  endif()
endif()
if(CROSSWARP_KOKKOS_PLATFORM STREQUAL cuda AND Kokkos_VERSION VERSION_LESS 5.0 AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9)
  # nvcc from 12.9 on lays [[no_unique_address]] members out differently on host and device in C++20, so that kernels read
  # wrong addresses (kokkos/mdspan#434, #435). Kokkos 5 knows; for older ones the attribute is taken away here.
  target_compile_definitions(crosswarp_kokkos_library INTERFACE MDSPAN_IMPL_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS=1
    MDSPAN_IMPL_NO_UNIQUE_ADDRESS= _MDSPAN_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS=1 _MDSPAN_NO_UNIQUE_ADDRESS=)
endif()
set(CROSSWARP_HAS_KOKKOS ON)
message(STATUS "crosswarp: Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) at ${Kokkos_DIR}")
