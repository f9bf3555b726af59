# Libraries from the distribution. The scripts install them; here they are only found.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED CONFIG)  # headers of Boost.Math only
find_package(Boost CONFIG QUIET OPTIONAL_COMPONENTS context)  # fibers of the emulation
find_package(benchmark REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
set(CROSSWARP_HAS_SIMT OFF)
if(CROSSWARP_SIMT AND TARGET Boost::context)
  set(CROSSWARP_HAS_SIMT ON)
elseif(CROSSWARP_SIMT)
  message(STATUS "crosswarp: no Boost.Context here (libboost-context-dev), so no emulation of a GPU")
endif()
