# CUDA where there is an nvcc, for C++20 and the GPUs of this machine.
if(NOT CROSSWARP_CUDA)
  return()
endif()
if(NOT DEFINED ENV{CUDACXX})
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin)
  if(NOT CMAKE_CUDA_COMPILER)
    crosswarp_missing(CUDA "nvcc on PATH or in /usr/local/cuda/bin")
    return()
  endif()
endif()

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  # The GPUs of this machine, else Hopper. From 9.0 on with the suffix `a`, which wgmma and setmaxnreg need; `-real`, since
  # -arch=sm_90a would also compile for plain compute_90.
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE capabilities ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
  if(NOT capabilities)
    set(capabilities 9.0)
  endif()
  string(REPLACE "." "" capabilities "${capabilities}")
  list(REMOVE_DUPLICATES capabilities)
  list(SORT capabilities COMPARE NATURAL)  # a Kokkos that is built for the first runs on the others
  list(TRANSFORM capabilities APPEND a REGEX "^(9|[0-9][0-9])[0-9]$")
  list(TRANSFORM capabilities APPEND -real)
  set(CMAKE_CUDA_ARCHITECTURES ${capabilities} CACHE STRING
    "GPU architectures to compile for, as 80-real;90a-real; without the `a` kernels of wgmma are skipped")
endif()
enable_language(CUDA)
# CMake before 3.25.2 does not know nvcc's C++20 and would silently compile C++17.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
# The shared runtime: the program and the modules that it loads must use the same one.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
find_package(CUDAToolkit REQUIRED)

set(CROSSWARP_HAS_CUDA ON)
crosswarp_platform(cuda CUDA)
target_link_libraries(crosswarp_cuda_platform INTERFACE CUDA::cudart)
message(STATUS "crosswarp: CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
