// Loads cuBLAS, of the version that this was built with.
#include "backends/gpu/features.hpp"

#if CROSSWARP_HAS_CUBLAS
#include "backends/cuda/cublas.hpp"
#include "backends/gpu/shared_library.hpp"

namespace crosswarp::gpu {
namespace {

const SharedLibrary<Cublas>& library() {
  static const SharedLibrary<Cublas> loaded("cuBLAS", {"libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)},
                                            [](SharedLibrary<Cublas>& from) {
                                              from.load(from.entries.create, "cublasCreate_v2");
                                              from.load(from.entries.set_stream, "cublasSetStream_v2");
                                              from.load(from.entries.status_string, "cublasGetStatusString");
                                              from.load(from.entries.property, "cublasGetProperty");
                                              from.load(from.entries.sgemv, "cublasSgemv_v2");
                                              from.load(from.entries.sgemm, "cublasSgemm_v2");
                                              from.load(from.entries.set_math_mode, "cublasSetMathMode");
                                              from.load(from.entries.gemm_ex, "cublasGemmEx");
                                            });
  return loaded;
}

const SharedLibrary<CublasLt>& library_lt() {
  static const SharedLibrary<CublasLt> loaded(
      "cuBLAS", {"libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR)}, [](SharedLibrary<CublasLt>& from) {
        from.load(from.entries.create, "cublasLtCreate");
        from.load(from.entries.desc_create, "cublasLtMatmulDescCreate");
        from.load(from.entries.desc_set, "cublasLtMatmulDescSetAttribute");
        from.load(from.entries.layout_create, "cublasLtMatrixLayoutCreate");
        from.load(from.entries.preference_create, "cublasLtMatmulPreferenceCreate");
        from.load(from.entries.preference_destroy, "cublasLtMatmulPreferenceDestroy");
        from.load(from.entries.preference_set, "cublasLtMatmulPreferenceSetAttribute");
        from.load(from.entries.heuristic, "cublasLtMatmulAlgoGetHeuristic");
        from.load(from.entries.matmul, "cublasLtMatmul");
      });
  return loaded;
}

}  // namespace

std::string why_no_cublas() { return library().why_not; }
std::string why_no_cublaslt() { return library_lt().why_not.empty() ? why_no_cublas() : library_lt().why_not; }

std::string cublas_version() {
  if (!library().why_not.empty()) return {};
  std::string version;
  for (const auto part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check(library().entries.property(part, &number), "cublasGetProperty");
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version;
}

const Cublas& cublas() { return library().usable(); }
const CublasLt& cublaslt() { return library_lt().usable(); }

cublasHandle_t cublas_handle(cudaStream_t stream) {
  const auto handle = handle_here<cublasHandle_t>(cublas().create, "cublasCreate");
  check(cublas().set_stream(handle, stream), "cublasSetStream");
  return handle;
}

cublasLtHandle_t cublaslt_handle() { return handle_here<cublasLtHandle_t>(cublaslt().create, "cublasLtCreate"); }

void check(cublasStatus_t status, const char* what, std::source_location where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(std::string(what) + ": " + cublas().status_string(status), static_cast<int>(status), where);
}

}  // namespace crosswarp::gpu
#endif
