// cuBLAS and cuBLASLt, loaded on first use: loading is slow, and the program must start without them.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <source_location>
#include <string>

namespace crosswarp::gpu {

/// The entry points in use, with the signatures of the header at build time. A new one is a line here and a line in
/// cublas.cpp.
struct Cublas {
  decltype(&::cublasCreate_v2) create = nullptr;
  decltype(&::cublasSetStream_v2) set_stream = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;
  decltype(&::cublasGetProperty) property = nullptr;
  decltype(&::cublasSgemv_v2) sgemv = nullptr;
  decltype(&::cublasSgemm_v2) sgemm = nullptr;
  decltype(&::cublasSetMathMode) set_math_mode = nullptr;
  cublasStatus_t (*gemm_ex)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                            const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                            cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t) = nullptr;  // which is overloaded
};

struct CublasLt {
  decltype(&::cublasLtCreate) create = nullptr;
  decltype(&::cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&::cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&::cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&::cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&::cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&::cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&::cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  decltype(&::cublasLtMatmul) matmul = nullptr;
};

/// Loads cuBLAS. The reason where that fails, else empty.
std::string why_no_cublas();
std::string why_no_cublaslt();

/// `13.0.2`, of the library that is loaded; empty where there is none.
std::string cublas_version();

/// Throws Error if it cannot be loaded.
const Cublas& cublas();
const CublasLt& cublaslt();

/// The current device's handle, set to `stream`. Created once; that allocates, so a variant's `prepare` calls it first.
cublasHandle_t cublas_handle(cudaStream_t stream);
cublasLtHandle_t cublaslt_handle();

/// Throws Error with the library's message unless `status` is success.
void check(cublasStatus_t status, const char* what, std::source_location where = std::source_location::current());

}  // namespace crosswarp::gpu
