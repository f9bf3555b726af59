// Kokkos's life in this process, without its headers.
#pragma once

#include <map>
#include <string>

namespace crosswarp::kokkos {

/// Starts Kokkos on a device, once; it is stopped when the process exits. A second device is an Error: Kokkos has one.
void start(int device_ordinal);

/// Version, execution space and thread count; what is known before it is started.
std::map<std::string, std::string> versions();

}  // namespace crosswarp::kokkos
