// Names of kernels by their addresses.
#pragma once

#include <string>

#include "backends/gpu/error.hpp"
#include "core/kernel_name.hpp"
#include "platform/runtime.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// As kernel_name() has it; empty where the runtime does not tell.
inline std::string name_of_kernel(const void* kernel) {
#if defined(CUDART_VERSION) && CUDART_VERSION >= 12030
  const char* symbol = nullptr;
  if (cudaFuncGetName(&symbol, kernel) == cudaSuccess && symbol) return kernel_name(symbol);
  ignore(cudaGetLastError());
  return {};
#else
  static_cast<void>(kernel);
  return {};
#endif
}

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
