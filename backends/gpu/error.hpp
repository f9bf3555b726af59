// Conversion of the runtime's error codes into Error.
#pragma once

#include <source_location>

#include "platform/runtime.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Throws Error with the runtime's message unless `code` is success. Clears the runtime's last error.
void check(cudaError_t code, const char* what, std::source_location where = std::source_location::current());

/// For calls whose error is irrelevant: clean-up, and clearing the runtime's last error.
inline void ignore(cudaError_t) {}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
