# What `cmake --install` puts where: the program with its man page and what shells complete, and the CMake package with the
# headers for kernels outside of the source tree.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS bench)
# The program writes the page itself, where it can run: with Kokkos on CUDA it needs the driver.
set(manual ${CMAKE_CURRENT_BINARY_DIR}/bench.1)
install(CODE "
  execute_process(COMMAND $<TARGET_FILE:bench> --man OUTPUT_FILE ${manual} ERROR_VARIABLE why RESULT_VARIABLE failed)
  if(failed)
    message(STATUS \"crosswarp: no man page, since bench does not run here: \${why}\")
  else()
    file(INSTALL ${manual} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
  endif()")
install(FILES bench/completion/bench.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME bench)
install(FILES bench/completion/_bench DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES bench/completion/bench.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Below one folder, as they lie here: that is the folder for -I, and kernels look the same inside and outside.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} core/*.hpp experiments/*.hpp backends/*.hpp)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/crosswarp/${folder})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/crosswarp)
set(headers_dir ${CMAKE_INSTALL_INCLUDEDIR}/crosswarp)
set(bindir ${CMAKE_INSTALL_BINDIR})
configure_package_config_file(cmake/crosswarp-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/crosswarp-config.cmake
  INSTALL_DESTINATION ${package} PATH_VARS headers_dir bindir)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/crosswarp-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/crosswarp-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/crosswarp-config-version.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/module.cpp
  cmake/cuda.cmake cmake/hip.cmake cmake/hip_of_hipcc.cmake cmake/kokkos.cmake cmake/targets.cmake cmake/variants.cmake
  DESTINATION ${package})
install(DIRECTORY cmake/hip_of_hipcc DESTINATION ${package})
