# Libraries from the distribution. The scripts install them; here they are only found.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED CONFIG)  # headers of Boost.Math only
find_package(benchmark REQUIRED)
find_package(LibLZMA REQUIRED)  # samples of stored results
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
set(CROSSWARP_HAS_MPI OFF)
if(CROSSWARP_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # the C interface alone
  find_package(MPI QUIET COMPONENTS CXX)
  set(CROSSWARP_HAS_MPI ${MPI_CXX_FOUND})
  if(NOT MPI_CXX_FOUND)
    crosswarp_missing(MPI "MPI (libopenmpi-dev)")
  endif()
endif()
