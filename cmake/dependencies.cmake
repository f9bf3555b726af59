# Libraries from the distribution. The scripts install them; here they are only found.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED CONFIG)  # headers of Boost.Math only
find_package(benchmark REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
