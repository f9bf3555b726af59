# What CMake demands of HIP's package, for cmake/hip_of_hipcc.cmake: a target that every program in HIP is linked to.
add_library(hip-lang::device INTERFACE IMPORTED)
set_target_properties(hip-lang::device PROPERTIES INTERFACE_LINK_OPTIONS "$<$<LINK_LANGUAGE:HIP>:--hip-link>")
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
