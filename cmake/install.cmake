# What `cmake --install` puts where: the program with its man page and what shells complete, and the CMake package with the
# headers for kernels outside of the source tree.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS bench)
# The program writes the page itself, where it can run: with Kokkos on CUDA it needs the driver.
set(manual ${CMAKE_BINARY_DIR}/bench.1)
install(CODE "
  execute_process(COMMAND $<TARGET_FILE:bench> --man OUTPUT_FILE ${manual} RESULT_VARIABLE failed)
  if(NOT failed)
    file(INSTALL ${manual} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")
  endif()")
install(FILES bench/completion/bench.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME bench)
install(FILES bench/completion/_bench DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES bench/completion/bench.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Below one folder, as they lie here: that is the folder for -I, and kernels look the same inside and outside.
set(headers_dir ${CMAKE_INSTALL_INCLUDEDIR}/crosswarp)
install(DIRECTORY core experiments backends DESTINATION ${headers_dir} FILES_MATCHING PATTERN *.hpp)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/crosswarp)
set(bindir ${CMAKE_INSTALL_BINDIR})
configure_package_config_file(cmake/crosswarp-config.cmake.in crosswarp-config.cmake
  INSTALL_DESTINATION ${package} PATH_VARS headers_dir bindir)
write_basic_package_version_file(crosswarp-config-version.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/crosswarp-config.cmake ${CMAKE_BINARY_DIR}/crosswarp-config-version.cmake
  ${CMAKE_BINARY_DIR}/module.cpp cmake/platforms.cmake cmake/cuda.cmake cmake/hip.cmake cmake/hip_of_hipcc.cmake
  cmake/kokkos.cmake cmake/targets.cmake cmake/variants.cmake DESTINATION ${package})
