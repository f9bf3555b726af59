// cuBLAS and cuBLASLt, loaded on first use: they take long to load, and a program must start where they are not
// installed.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <source_location>
#include <string>

namespace crosswarp::gpu {

/// The entry points that variants use, with the signatures of the header that this was built with. Another one is a
/// line here and a line in cublas.cpp.
struct Cublas {
  decltype(&::cublasCreate_v2) create = nullptr;
  decltype(&::cublasSetStream_v2) set_stream = nullptr;
  decltype(&::cublasGetStatusString) status_string = nullptr;
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

/// Why cuBLAS cannot be used here; empty where it can. Loads it.
std::string why_no_cublas();
std::string why_no_cublaslt();

/// Throws Error where it cannot be loaded.
const Cublas& cublas();
const CublasLt& cublaslt();

/// The handle of the current device, created at its first use and kept; its work goes to `stream` from now on. Creating
/// it allocates: a variant's `prepare` asks for it first.
cublasHandle_t cublas_handle(cudaStream_t stream);
cublasLtHandle_t cublaslt_handle();

/// Throws Error, with the library's own words, unless `status` is success.
void check(cublasStatus_t status, const char* what, std::source_location where = std::source_location::current());

}  // namespace crosswarp::gpu
