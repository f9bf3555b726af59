// Turns the runtime's error codes into the project's error.
#pragma once

#include <cuda_runtime.h>

#include <source_location>

namespace crosswarp::gpu {
inline namespace cuda {

/// Throws Error, with the runtime's own words, unless `code` is success. Clears the runtime's last error.
void check(cudaError_t code, const char* what, std::source_location where = std::source_location::current());

}  // namespace cuda
}  // namespace crosswarp::gpu
