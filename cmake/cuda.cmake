# Enables CUDA where there is an nvcc, for C++20 and the GPUs of this machine.
set(CROSSWARP_HAS_CUDA OFF)
if(NOT CROSSWARP_CUDA)
  return()
endif()

include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(CROSSWARP_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(CROSSWARP_NVCC)
    set(CMAKE_CUDA_COMPILER ${CROSSWARP_NVCC} CACHE FILEPATH "")
  endif()
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  # The GPUs of this machine, else Hopper. From 9.0 on with the suffix `a`, which wgmma and setmaxnreg need; `-real`, since
  # -arch=sm_90a would also compile for plain compute_90.
  find_program(CROSSWARP_NVIDIA_SMI nvidia-smi)
  set(capabilities "")
  if(CROSSWARP_NVIDIA_SMI)
    execute_process(COMMAND ${CROSSWARP_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE capabilities ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
    string(REPLACE "." "" capabilities "${capabilities}")
    list(REMOVE_DUPLICATES capabilities)
    list(SORT capabilities COMPARE NATURAL)  # a Kokkos that is built for the first runs on the others
  endif()
  if(NOT capabilities)
    set(capabilities 90)
  endif()
  list(TRANSFORM capabilities APPEND a REGEX "^(9|[0-9][0-9])[0-9]$")
  list(TRANSFORM capabilities APPEND -real)
  set(CMAKE_CUDA_ARCHITECTURES ${capabilities} CACHE STRING
    "GPU architectures to compile for, as 80-real;90a-real; without the `a` kernels of wgmma are skipped")
endif()

check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(CROSSWARP_CUDA STREQUAL REQUIRED)
    message(FATAL_ERROR "There is no nvcc on PATH or in /usr/local/cuda/bin, and CROSSWARP_CUDA=REQUIRED (preset `cuda`) "
      "asks for it: install the CUDA toolkit, or take the preset `host`")
  endif()
  message(STATUS "crosswarp: no nvcc here, so no CUDA backend")
  return()
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
  message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} has no C++20, which 12.0 and later have: "
    "point CUDACXX at a newer one, or set -DCROSSWARP_CUDA=OFF (preset `host`)")
endif()
foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
  if(architecture MATCHES "^all" OR (architecture MATCHES "^([0-9]+)" AND CMAKE_MATCH_1 LESS 80))
    message(FATAL_ERROR "Kernels need compute capability 8.0 or later, and CMAKE_CUDA_ARCHITECTURES has ${architecture}: "
      "name later ones, as 80-real;90a-real, or set -DCROSSWARP_CUDA=OFF (preset `host`)")
  elseif(architecture MATCHES "^90(-|$)")
    message(STATUS "crosswarp: ${architecture} has no wgmma, whose kernels will be skipped; 90a-real has it")
  endif()
endforeach()
set(CROSSWARP_HAS_CUDA ON)
message(STATUS "crosswarp: CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")

# CMake before 3.25.2 does not know nvcc's C++20 and would silently compile C++17.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
# The shared runtime: the program and the modules that it loads must use the same one.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
find_package(CUDAToolkit REQUIRED)
