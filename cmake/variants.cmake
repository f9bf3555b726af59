# crosswarp_add_variants(<name> <file>… [KOKKOS <file>…])
#
# Adds the module lib<name>.so, for `bench --load`: a variant a file, named after it. A .cu file is compiled for each
# platform of kernels that crosswarp was built with (CUDA, HIP, the emulation with either size of warp), a .cpp file for the
# host; those behind KOKKOS see Kokkos's headers. Include directories, definitions, options and libraries of the module,
# given to CMake as of any target, hold for all of them.
function(crosswarp_add_variants name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" KOKKOS)
  set(kernels ${arg_UNPARSED_ARGUMENTS})
  set(host ${arg_UNPARSED_ARGUMENTS})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  list(FILTER host EXCLUDE REGEX "\\.cu$")
  add_library(${name} MODULE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/module.cpp ${host})
  target_link_libraries(${name} PRIVATE crosswarp_options)
  # A copy of a built-in variant calls its own functions, not those of the same name that the program exports.
  target_link_options(${name} PRIVATE LINKER:-Bsymbolic-functions)

  set(parts "")
  if(arg_KOKKOS AND CROSSWARP_HAS_KOKKOS)
    crosswarp_kernels(${name}_kokkos kokkos ${arg_KOKKOS})
    list(APPEND parts ${name}_kokkos)
  endif()
  # A file has one language in a directory. Here it has several: each platform compiles files that include it.
  foreach(part cuda hip simt32 simt64)
    string(REGEX MATCH "^([a-z]+)([0-9]*)$" part ${part})
    set(platform ${CMAKE_MATCH_1})
    set(warp_size ${CMAKE_MATCH_2})
    if(NOT kernels OR NOT TARGET crosswarp_${platform}_platform)
      continue()
    endif()
    set(sources "")
    foreach(kernel ${kernels})
      get_filename_component(path ${kernel} ABSOLUTE)
      get_filename_component(file ${kernel} NAME)
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}/${part}/${file})
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${path}\"\n")
      list(APPEND sources ${source})
    endforeach()
    crosswarp_kernels(${name}_${part} ${platform} ${sources})
    if(warp_size)
      target_compile_definitions(${name}_${part} PRIVATE CROSSWARP_WARP_SIZE=${warp_size})
    endif()
    list(APPEND parts ${name}_${part})
  endforeach()

  # Only objects: what the platforms' libraries define is the program's, and must not come a second time.
  foreach(part ${parts})
    set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${part} PRIVATE $<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${part} PRIVATE $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
    target_compile_options(${part} PRIVATE $<TARGET_PROPERTY:${name},COMPILE_OPTIONS>)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
endfunction()
