// rocBLAS and hipBLASLt, loaded on first use: loading is slow, rocBLAS takes 4 GB, and the program must start without.
// For files behind CROSSWARP_HAS_ROCBLAS or CROSSWARP_HAS_HIPBLASLT.
#pragma once

#include <source_location>
#include <string>

#include "platform/runtime.hpp"

#if CROSSWARP_HAS_ROCBLAS
#include <rocblas/rocblas.h>

namespace crosswarp::gpu {

/// The entry points in use, with the signatures of the header at build time. A new one is a line here and a line in
/// rocblas.cpp.
struct Rocblas {
  decltype(&::rocblas_create_handle) create = nullptr;
  decltype(&::rocblas_set_stream) set_stream = nullptr;
  decltype(&::rocblas_status_to_string) status_string = nullptr;
  decltype(&::rocblas_sgemm) sgemm = nullptr;
  decltype(&::rocblas_gemm_ex) gemm_ex = nullptr;
};

/// Loads rocBLAS. The reason where that fails, else empty.
std::string why_no_rocblas();

/// Throws Error if it cannot be loaded.
const Rocblas& rocblas();

/// The current device's handle, set to `stream`. Created once; that allocates, so a variant's `prepare` calls it first.
rocblas_handle handle_of_rocblas(cudaStream_t stream);

/// Throws Error with the library's message unless `status` is success.
void check(rocblas_status status, const char* what, std::source_location where = std::source_location::current());

}  // namespace crosswarp::gpu
#endif

#if CROSSWARP_HAS_HIPBLASLT
#include <hipblaslt/hipblaslt.h>

namespace crosswarp::gpu {

struct HipblasLt {
  decltype(&::hipblasLtCreate) create = nullptr;
  decltype(&::hipblasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&::hipblasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&::hipblasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&::hipblasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&::hipblasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&::hipblasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&::hipblasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&::hipblasLtMatmul) matmul = nullptr;
};

std::string why_no_hipblaslt();
const HipblasLt& hipblaslt();
hipblasLtHandle_t hipblaslt_handle();
/// Throws Error with the status's number unless it is success.
void check(hipblasStatus_t status, const char* what, std::source_location where = std::source_location::current());

}  // namespace crosswarp::gpu
#endif
