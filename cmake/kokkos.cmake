# Kokkos 3.4 … 5.x as the platform `kokkos`: what Kokkos_ROOT points at or what is installed, or, by CROSSWARP_FETCH_KOKKOS,
# the official release, built as part of this build for its GPUs.
if(NOT CROSSWARP_KOKKOS)
  return()
endif()

if(CROSSWARP_FETCH_KOKKOS)
  include(${CMAKE_CURRENT_LIST_DIR}/fetch_kokkos.cmake)
endif()
if(NOT TARGET Kokkos::kokkos)
  # `separable_compilation`: a Kokkos that was built through its nvcc wrapper would otherwise redirect every compile of this
  # project to the wrapper. What needs nvcc is compiled as CUDA here anyway.
  find_package(Kokkos QUIET COMPONENTS separable_compilation)
endif()
if(NOT TARGET Kokkos::kokkos)
  crosswarp_missing(KOKKOS "Kokkos (set Kokkos_ROOT, or install libtrilinos-kokkos-dev)")
  return()
endif()

# The default execution space is the GPU's if Kokkos has one. Its rows share the device layer of backends/gpu: CUDA's, or
# HIP's where there is no CUDA.
string(REGEX MATCH "CUDA|HIP|SYCL|OPENMPTARGET|OPENACC" device "${Kokkos_DEVICES}")
if(device AND (NOT CROSSWARP_HAS_${device} OR (CROSSWARP_HAS_CUDA AND NOT device STREQUAL CUDA)))
  crosswarp_missing(KOKKOS "${device} in this build, for which Kokkos at ${Kokkos_DIR} was built (set another Kokkos_ROOT)")
  return()
endif()

set(CROSSWARP_HAS_KOKKOS ON)
add_library(crosswarp_kokkos_platform INTERFACE)
target_link_libraries(crosswarp_kokkos_platform INTERFACE Kokkos::kokkos)
set_target_properties(crosswarp_kokkos_platform PROPERTIES CROSSWARP_LANGUAGE CXX)
if(TARGET trilinos_kokkoscore AND Kokkos_DIR MATCHES "^(/usr)?/lib/")
  # Debian's and Ubuntu's libtrilinos-kokkos-dev exports /usr/lib/include.
  set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES /usr/include/trilinos)
endif()
if(device)
  string(TOLOWER ${device} platform)
  set_target_properties(crosswarp_kokkos_platform PROPERTIES CROSSWARP_LANGUAGE ${device})
  target_compile_definitions(crosswarp_kokkos_platform INTERFACE CROSSWARP_KOKKOS_ON_GPU)
  target_link_libraries(crosswarp_kokkos_platform INTERFACE crosswarp_${platform}_platform)
  if(NOT TARGET kokkoscore)
    # An installed Kokkos built through its nvcc wrapper, or by hipcc as the C++ compiler, exports options as if of the C++
    # compiler, which refuses them. Here they belong to what is compiled as CUDA or HIP, without the architecture, which
    # CMAKE_CUDA_ARCHITECTURES or CMAKE_HIP_ARCHITECTURES decides.
    foreach(property INTERFACE_COMPILE_OPTIONS INTERFACE_COMPILE_DEFINITIONS INTERFACE_LINK_OPTIONS)
      get_target_property(value Kokkos::kokkoscore ${property})
      if(value)
        string(REPLACE "COMPILE_LANGUAGE:CXX" "COMPILE_LANGUAGE:${device}" value "${value}")
        string(REGEX REPLACE "-arch=sm_[0-9a-z]+|--offload-arch=[0-9a-z:+,-]+|-xhip|--hip-link" "" value "${value}")
        set_target_properties(Kokkos::kokkoscore PROPERTIES ${property} "${value}")
      endif()
    endforeach()
    if(Kokkos_DEVICES MATCHES OPENMP)
      target_compile_options(crosswarp_kokkos_platform INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fopenmp>)
    endif()
  endif()
  if(Kokkos_VERSION VERSION_LESS 5.0 AND "${CMAKE_CUDA_COMPILER_VERSION}" VERSION_GREATER_EQUAL 12.9)
    # nvcc from 12.9 on lays [[no_unique_address]] members out differently on host and device in C++20, so that kernels read
    # wrong addresses (kokkos/mdspan#434, #435). Kokkos 5 knows; for older ones the attribute is taken away here.
    target_compile_definitions(crosswarp_kokkos_platform INTERFACE MDSPAN_IMPL_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS=1
      MDSPAN_IMPL_NO_UNIQUE_ADDRESS= _MDSPAN_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS=1 _MDSPAN_NO_UNIQUE_ADDRESS=)
  endif()
endif()

# Kokkos Kernels of the same installation, or where KokkosKernels_ROOT points: one built for another Kokkos does not link.
find_package(KokkosKernels QUIET CONFIG NO_DEFAULT_PATH
  PATHS "${KokkosKernels_ROOT}" "$ENV{KokkosKernels_ROOT}" "${Kokkos_DIR}/../KokkosKernels")
if(KokkosKernels_FOUND)
  target_compile_definitions(crosswarp_kokkos_platform INTERFACE CROSSWARP_HAS_KOKKOS_KERNELS)
  target_link_libraries(crosswarp_kokkos_platform INTERFACE
    $<TARGET_NAME_IF_EXISTS:Kokkos::kokkoskernels> $<TARGET_NAME_IF_EXISTS:trilinos_kokkoskernels>)
endif()
message(STATUS "crosswarp: Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) at ${Kokkos_DIR}")
