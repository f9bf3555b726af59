# Where no Kokkos with CUDA is installed: downloads the official release and builds it once, into .deps/, which outlives
# build folders. Afterwards Kokkos_DIR points there, or one line has said why not and what is installed is taken.
set(CROSSWARP_KOKKOS_URL https://github.com/kokkos/kokkos/releases/download/5.2.2/kokkos-5.2.2.tar.gz
  CACHE STRING "Kokkos release to fetch; a mirror or file:// will do")
set(CROSSWARP_KOKKOS_SHA256 d6557aaef39302282a15f9c770433d1fcdf4e961dfd6d9ed726b9d0d0f546b9f
  CACHE STRING "SHA-256 of that release")

# Makes `prefix`, for the compute capability `architecture` (such as 90), or sets `why_not` to the reason.
function(crosswarp_build_kokkos prefix architecture why_not)
  set(work ${prefix}-work)
  set(log ${prefix}.log)
  if(EXISTS ${prefix}.failed.log)  # minutes, each time CMake runs
    set(${why_not} "it did not build, see ${prefix}.failed.log (tried again once that is gone)" PARENT_SCOPE)
    return()
  endif()
  file(REMOVE_RECURSE ${work})
  message(STATUS "crosswarp: downloading ${CROSSWARP_KOKKOS_URL}")
  # The first bytes first: INACTIVITY_TIMEOUT does not cover a connection that nobody answers. The hash vouches for the
  # file, so that no certificates are needed.
  set(first_bytes "")
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.24)
    set(first_bytes RANGE_START 0 RANGE_END 1)
  endif()
  file(DOWNLOAD ${CROSSWARP_KOKKOS_URL} ${work}/first_bytes STATUS status TIMEOUT 10 TLS_VERIFY OFF ${first_bytes})
  list(GET status 0 code)
  if(code EQUAL 0)
    file(DOWNLOAD ${CROSSWARP_KOKKOS_URL} ${work}/kokkos.tar.gz STATUS status INACTIVITY_TIMEOUT 10 TLS_VERIFY OFF)
  endif()
  list(POP_FRONT status code)
  if(NOT code EQUAL 0)
    file(REMOVE_RECURSE ${work})
    set(${why_not} "${CROSSWARP_KOKKOS_URL}: ${status}" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${work}/kokkos.tar.gz hash)
  if(NOT hash STREQUAL CROSSWARP_KOKKOS_SHA256)
    file(REMOVE_RECURSE ${work})
    set(${why_not} "${CROSSWARP_KOKKOS_URL} has SHA-256 ${hash}, not ${CROSSWARP_KOKKOS_SHA256}" PARENT_SCOPE)
    return()
  endif()
  file(ARCHIVE_EXTRACT INPUT ${work}/kokkos.tar.gz DESTINATION ${work}/source)
  file(GLOB source ${work}/source/*)

  # CUDA as a CMake language where CMake knows its C++20 (Kokkos 5 insists on that), else through Kokkos's own wrapper,
  # which finds nvcc on PATH and refuses ccache.
  set(options -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
    -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_SERIAL=ON)
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25.2)
    list(APPEND options -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON -DCMAKE_CUDA_COMPILER=${CMAKE_CUDA_COMPILER}
      -DCMAKE_CUDA_HOST_COMPILER=${CMAKE_CUDA_HOST_COMPILER}
      -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
      -DCMAKE_CUDA_COMPILER_LAUNCHER=${CMAKE_CUDA_COMPILER_LAUNCHER})
  else()
    list(APPEND options -DCMAKE_CXX_COMPILER_LAUNCHER=)
  endif()
  # Kokkos takes one architecture, by its own name; it asks the GPU where none is given.
  set(name VOLTA70 VOLTA72 TURING75 AMPERE80 AMPERE86 AMPERE87 ADA89 HOPPER90
    BLACKWELL100 BLACKWELL103 BLACKWELL120 BLACKWELL121)
  list(FILTER name INCLUDE REGEX "[A-Z]${architecture}$")
  if(name)
    list(APPEND options -DKokkos_ARCH_${name}=ON)
  endif()
  get_filename_component(cuda_bin ${CMAKE_CUDA_COMPILER} DIRECTORY)
  set(cmake ${CMAKE_COMMAND} -E env PATH=${cuda_bin}:$ENV{PATH} NVCC_WRAPPER_DEFAULT_COMPILER=${CMAKE_CXX_COMPILER}
    ${CMAKE_COMMAND})
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)

  message(STATUS "crosswarp: building Kokkos with CUDA in ${prefix}; this takes minutes, once")
  execute_process(COMMAND ${cmake} -S ${source} -B ${work}/build -G ${CMAKE_GENERATOR} ${options}
    RESULT_VARIABLE code OUTPUT_FILE ${log} ERROR_FILE ${log})
  if(code EQUAL 0)
    execute_process(COMMAND ${cmake} --build ${work}/build --parallel ${cores}
      RESULT_VARIABLE code OUTPUT_FILE ${log} ERROR_FILE ${log})
  endif()
  if(code EQUAL 0)
    execute_process(COMMAND ${cmake} --install ${work}/build --prefix ${work}/install
      RESULT_VARIABLE code OUTPUT_FILE ${log} ERROR_FILE ${log})
  endif()
  if(NOT code EQUAL 0)
    file(REMOVE_RECURSE ${work})
    file(RENAME ${log} ${prefix}.failed.log)
    set(${why_not} "it does not build, see ${prefix}.failed.log (tried again once that is gone)" PARENT_SCOPE)
    return()
  endif()
  file(RENAME ${work}/install ${prefix})  # last, so that what is there is whole
  file(REMOVE_RECURSE ${work})
  file(REMOVE ${log})
endfunction()

add_subdirectory(${PROJECT_SOURCE_DIR}/cmake/installed_kokkos)
if(NOT "CUDA" IN_LIST installed_kokkos_devices)
  get_filename_component(name ${CROSSWARP_KOKKOS_URL} NAME)
  string(REGEX REPLACE "\\.(tar\\..*|tgz|zip)$" "" name ${name})
  string(REGEX MATCH "[0-9]+" architecture "${CMAKE_CUDA_ARCHITECTURES}")
  set(prefix ${PROJECT_SOURCE_DIR}/.deps/${name}-sm_${architecture}-cuda${CMAKE_CUDA_COMPILER_VERSION})
  set(why_not "")
  if(NOT EXISTS ${prefix})
    crosswarp_build_kokkos(${prefix} "${architecture}" why_not)
  endif()
  if(why_not)
    message(STATUS "crosswarp: no Kokkos with CUDA: ${why_not}; taking what is installed instead")
  else()
    file(GLOB config ${prefix}/lib*/cmake/Kokkos)
    set(Kokkos_DIR ${config} CACHE PATH "" FORCE)
  endif()
endif()
