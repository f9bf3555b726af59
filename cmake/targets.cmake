# Options of all targets: the project's own, and modules of an installed crosswarp. CROSSWARP_ROOT is the folder of core/,
# experiments/ and backends/.
add_library(crosswarp_options INTERFACE)
target_include_directories(crosswarp_options INTERFACE ${CROSSWARP_ROOT})
target_compile_options(crosswarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX,HIP>:-Wall -Wextra>)
if(CROSSWARP_WERROR)
  target_compile_options(crosswarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX,HIP>:-Werror>)
  # A loop that clang's optimizer leaves as it is deserves no warning.
  target_compile_options(crosswarp_options INTERFACE $<$<COMPILE_LANGUAGE:HIP>:-Wno-pass-failed>)
  # GCC 12 wrongly reports overlapping copies in std::string's operator+ (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(crosswarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
endif()
if(CROSSWARP_HAS_CUDA)
  # Relaxed constexpr: generators and bounds are plain constexpr functions for host and device. nvcc compresses code with
  # information on lines, a third of the size, only if it is told to.
  target_compile_options(crosswarp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --extended-lambda -lineinfo -Xfatbin=-compress-all -Xcompiler=-Wall,-Wextra>)
  if(CROSSWARP_WERROR)
    target_compile_options(crosswarp_options INTERFACE
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Werror>")
  endif()
endif()

# Adds the object library `name`: its registrars must reach the program, which static libraries would drop.
function(crosswarp_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PUBLIC crosswarp_options)
endfunction()

# Adds the platform `name` (cuda, hip, simt), the folder below backends/ with "platform/…". `language`: CMake's for its .cu
# files.
function(crosswarp_platform name language)
  add_library(crosswarp_${name}_platform INTERFACE)
  target_include_directories(crosswarp_${name}_platform INTERFACE ${CROSSWARP_ROOT}/backends/${name})
  set_target_properties(crosswarp_${name}_platform PROPERTIES CROSSWARP_LANGUAGE ${language})
endfunction()
if(CROSSWARP_HAS_CUDA)
  crosswarp_platform(cuda CUDA)
  target_link_libraries(crosswarp_cuda_platform INTERFACE CUDA::cudart)
endif()
if(CROSSWARP_HAS_SIMT)
  crosswarp_platform(simt CXX)
  target_link_libraries(crosswarp_simt_platform INTERFACE Boost::context)
  target_compile_options(crosswarp_simt_platform INTERFACE -Wno-unknown-pragmas)  # `#pragma unroll` is for nvcc
endif()
if(CROSSWARP_HAS_HIP)
  crosswarp_platform(hip ${CROSSWARP_HIP_LANGUAGE})
  target_include_directories(crosswarp_hip_platform SYSTEM INTERFACE ${CROSSWARP_HIP_INCLUDE_DIR})
  target_compile_definitions(crosswarp_hip_platform INTERFACE ${CROSSWARP_HIP_DEFINITION})
  target_link_libraries(crosswarp_hip_platform INTERFACE ${CROSSWARP_HIP_LIBRARY})
  # Float atomics as instructions, not as loops. They are unsafe on fine-grained memory; ours is hipMalloc's, coarse-grained.
  target_compile_options(crosswarp_hip_platform INTERFACE $<$<COMPILE_LANGUAGE:HIP>:-munsafe-fp-atomics>)
  # Behind this pass of clang 15 its MachineCSE does not end, in fp32's split-K by tiles of 128 x 128 for gfx90a.
  if("${CMAKE_HIP_COMPILER_VERSION}" VERSION_LESS 16)
    target_compile_options(crosswarp_hip_platform INTERFACE
      "$<$<COMPILE_LANGUAGE:HIP>:SHELL:-mllvm -amdgpu-sdwa-peephole=0>")
  endif()
endif()

# Adds the object library `name` of sources that are compiled for `platform`. Beside CUDA's kernels the host's code does no work:
# optimizing it would be a sixth of the compile time.
function(crosswarp_kernels name platform)
  crosswarp_objects(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC crosswarp_${platform}_platform)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-O1>)
  get_target_property(language crosswarp_${platform}_platform CROSSWARP_LANGUAGE)
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${kernels} PROPERTIES LANGUAGE ${language})
endfunction()

# Adds the object library `name` of sources that see Kokkos's headers; where Kokkos runs on a GPU, they are compiled in the
# language of its platform.
function(crosswarp_kokkos_kernels name)
  crosswarp_objects(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC crosswarp_kokkos_library)
  if(CROSSWARP_KOKKOS_ON_GPU)
    get_target_property(language crosswarp_${CROSSWARP_KOKKOS_PLATFORM}_platform CROSSWARP_LANGUAGE)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE ${language})
    target_compile_definitions(${name} PRIVATE CROSSWARP_KOKKOS_ON_GPU)
    target_link_libraries(${name} PUBLIC crosswarp_${CROSSWARP_KOKKOS_PLATFORM}_platform)
  endif()
endfunction()

# crosswarp_combined(<variable> <name> <file>… [APART <regex>…])
#
# Sets `variable` to files that combine the given ones, 24 each: headers take nine tenths of a small kernel's compile time.
# Variants of CUB, hipCUB and Thrust are combined with each other; so are those that match a regular expression behind APART,
# which take longer, 12 each. `name`: their object library. Without CROSSWARP_COMBINE, the files themselves.
function(crosswarp_combined variable name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" APART)
  set(left ${arg_UNPARSED_ARGUMENTS})
  if(NOT CROSSWARP_COMBINE)
    set(${variable} ${left} PARENT_SCOPE)
    return()
  endif()
  set(result "")
  foreach(kind "/(cub|thrust)\\.cu$" ${arg_APART} .)
    set(files_of_kind ${left})
    list(FILTER files_of_kind INCLUDE REGEX ${kind})
    list(FILTER left EXCLUDE REGEX ${kind})
    set(most 24)
    if(kind IN_LIST arg_APART)
      set(most 12)
    endif()
    while(files_of_kind)
      list(SUBLIST files_of_kind 0 ${most} files)
      list(REMOVE_ITEM files_of_kind ${files})
      list(GET files 0 first)
      get_filename_component(extension ${first} EXT)
      list(LENGTH result part)
      set(combined ${CMAKE_CURRENT_BINARY_DIR}/${name}/part_${part}${extension})
      add_custom_command(OUTPUT ${combined}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${combined} -DNAME=${name} "-DFILES=${files}"
          -P ${PROJECT_SOURCE_DIR}/cmake/combine.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/combine.cmake
        COMMENT "" VERBATIM)
      list(APPEND result ${combined})
    endwhile()
  endforeach()
  set(${variable} ${result} PARENT_SCOPE)
endfunction()

# Sets `variable` to the kernel files of the backend in this directory: its own, and those of backends/cuda that it does not
# replace by a file of the same name.
function(crosswarp_shared_kernels variable)
  file(GLOB own CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*/*.cu)
  file(GLOB shared CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/backends/cuda ${PROJECT_SOURCE_DIR}/backends/cuda/*/*.cu)
  list(REMOVE_ITEM shared ${own})
  list(TRANSFORM own PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM shared PREPEND ${PROJECT_SOURCE_DIR}/backends/cuda/)
  set(${variable} ${own} ${shared} PARENT_SCOPE)
endfunction()

# Compile and link options of the emulation by sanitizer; `plain` is none. -O1, since compiling takes longer than running.
# Of undefined behaviour without what AddressSanitizer finds when such a pointer is used: it is a third of the compile time.
# Nor is a variable's use behind its scope looked for, another quarter: a kernel hands no addresses of its own out.
set(CROSSWARP_plain_OPTIONS -O1)
set(CROSSWARP_asan_OPTIONS -fsanitize=address,undefined -fno-sanitize=null,pointer-overflow,object-size,vptr
  -fno-sanitize-address-use-after-scope -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
set(CROSSWARP_tsan_OPTIONS -fsanitize=thread -O1 -g1)

# Warp sizes by sanitizer. One suffices to find memory errors and races; results are tested at both without sanitizers.
set(CROSSWARP_plain_WARPS 32 64)
set(CROSSWARP_asan_WARPS 32)
set(CROSSWARP_tsan_WARPS 32)

# Experiments whose threads share nothing, which ThreadSanitizer need not check.
set(CROSSWARP_tsan_WITHOUT "/(peak_compute|op_latency|memory_latency|launch_overhead)/")

# Adds the object libraries ${name}32 and, if the sanitizer has that size, ${name}64: kernels for the emulation.
function(crosswarp_emulated_kernels name sanitizer)
  set(sources ${ARGN})
  if(CROSSWARP_${sanitizer}_WITHOUT)
    list(FILTER sources EXCLUDE REGEX ${CROSSWARP_${sanitizer}_WITHOUT})
  endif()
  foreach(warp_size ${CROSSWARP_${sanitizer}_WARPS})
    crosswarp_combined(kernels ${name}${warp_size} ${sources})
    crosswarp_kernels(${name}${warp_size} simt ${kernels})
    target_compile_definitions(${name}${warp_size} PRIVATE CROSSWARP_WARP_SIZE=${warp_size})
    target_compile_options(${name}${warp_size} PRIVATE ${CROSSWARP_${sanitizer}_OPTIONS})
  endforeach()
endfunction()
