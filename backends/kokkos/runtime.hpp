// Start of Kokkos and its versions, without its headers.
#pragma once

#include <map>
#include <string>

namespace crosswarp::kokkos {

/// Starts Kokkos on a device, once; it is finalized when the process exits. Throws Error for a second device.
void start(int device_ordinal);

/// Name of the default execution space, valid before start(), and its host threads: 0 before start() and on a GPU.
std::string space();
int host_threads();

/// Version and execution space; valid before start().
std::map<std::string, std::string> versions();

}  // namespace crosswarp::kokkos
