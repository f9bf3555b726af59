# What every target of the project has in common.
add_library(crosswarp_options INTERFACE)
target_include_directories(crosswarp_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(crosswarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>)
if(CROSSWARP_WERROR)
  target_compile_options(crosswarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(crosswarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
endif()
if(CROSSWARP_HAS_CUDA)
  # Relaxed constexpr: generators and bounds are plain constexpr functions for host and device.
  target_compile_options(crosswarp_options INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr --extended-lambda -lineinfo -Xcompiler=-Wall,-Wextra>)
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
