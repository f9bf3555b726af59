# Options of all targets: the project's own, and modules of an installed crosswarp.
add_library(crosswarp_options INTERFACE)
target_include_directories(crosswarp_options INTERFACE ${CROSSWARP_ROOT})
# Relaxed constexpr: generators and bounds are plain constexpr functions for host and device. nvcc compresses code with
# information on lines, to a third, only if it is told to.
target_compile_options(crosswarp_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX,HIP>:-Wall -Wextra>
  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --extended-lambda -lineinfo -Xfatbin=-compress-all>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(CROSSWARP_WERROR)
  # A loop that clang's optimizer leaves as it is deserves no warning. GCC 12 wrongly reports overlapping copies in
  # std::string's operator+ (GCC bug 105651).
  target_compile_options(crosswarp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX,HIP>:-Werror>
    $<$<COMPILE_LANGUAGE:HIP>:-Wno-pass-failed>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Werror>")
endif()

# Adds the object library `name`: its registrars must reach the program, which static libraries would drop.
function(crosswarp_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PUBLIC crosswarp_options)
endfunction()

# Adds the object library `name` of sources that are compiled for `platform`, those of kernels in its language: .cu files, and
# for Kokkos all. Beside CUDA's kernels the host's code does no work, but optimizing it would take a sixth of the time.
function(crosswarp_kernels name platform)
  crosswarp_objects(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC crosswarp_${platform}_platform)
  get_target_property(language crosswarp_${platform}_platform CROSSWARP_LANGUAGE)
  set(kernels ${ARGN})
  if(NOT platform STREQUAL kokkos)
    list(FILTER kernels INCLUDE REGEX "\\.cu$")
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-O1>)
  endif()
  set_source_files_properties(${kernels} PROPERTIES LANGUAGE ${language})
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
set(CROSSWARP_plain_OPTIONS -O1)
set(CROSSWARP_asan_OPTIONS -fsanitize=address,undefined -fno-sanitize=null,pointer-overflow,object-size,vptr
  -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
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
