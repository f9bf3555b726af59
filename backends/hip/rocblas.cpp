// Loads rocBLAS and hipBLASLt, of the versions that this was built with, or where they have no other name, any.
#include "backends/hip/rocblas.hpp"

#include "backends/gpu/shared_library.hpp"

namespace crosswarp::gpu {

#if CROSSWARP_HAS_ROCBLAS
namespace {

const SharedLibrary<Rocblas>& loaded_rocblas() {
  static const SharedLibrary<Rocblas> loaded(
      "rocBLAS", {"librocblas.so." + std::to_string(ROCBLAS_VERSION_MAJOR), "librocblas.so"},
      [](SharedLibrary<Rocblas>& from) {
        from.load(from.entries.create, "rocblas_create_handle");
        from.load(from.entries.set_stream, "rocblas_set_stream");
        from.load(from.entries.status_string, "rocblas_status_to_string");
        from.load(from.entries.sgemm, "rocblas_sgemm");
        from.load(from.entries.gemm_ex, "rocblas_gemm_ex");
      });
  return loaded;
}

}  // namespace

std::string why_no_rocblas() { return loaded_rocblas().why_not; }
const Rocblas& rocblas() { return loaded_rocblas().usable(); }

rocblas_handle handle_of_rocblas(cudaStream_t stream) {
  const auto handle = handle_here<rocblas_handle>(rocblas().create, "rocblas_create_handle");
  check(rocblas().set_stream(handle, stream), "rocblas_set_stream");
  return handle;
}

void check(rocblas_status status, const char* what, std::source_location where) {
  if (status == rocblas_status_success) return;
  throw Error(std::string(what) + ": " + rocblas().status_string(status), static_cast<int>(status), where);
}
#endif

#if CROSSWARP_HAS_HIPBLASLT
namespace {

const SharedLibrary<HipblasLt>& loaded_hipblaslt() {
  static const SharedLibrary<HipblasLt> loaded(
      "hipBLASLt", {"libhipblaslt.so." + std::to_string(HIPBLASLT_VERSION_MAJOR), "libhipblaslt.so"},
      [](SharedLibrary<HipblasLt>& from) {
        from.load(from.entries.create, "hipblasLtCreate");
        from.load(from.entries.desc_create, "hipblasLtMatmulDescCreate");
        from.load(from.entries.desc_set, "hipblasLtMatmulDescSetAttribute");
        from.load(from.entries.layout_create, "hipblasLtMatrixLayoutCreate");
        from.load(from.entries.preference_create, "hipblasLtMatmulPreferenceCreate");
        from.load(from.entries.preference_destroy, "hipblasLtMatmulPreferenceDestroy");
        from.load(from.entries.preference_set, "hipblasLtMatmulPreferenceSetAttribute");
        from.load(from.entries.heuristic, "hipblasLtMatmulAlgoGetHeuristic");
        from.load(from.entries.matmul, "hipblasLtMatmul");
      });
  return loaded;
}

}  // namespace

std::string why_no_hipblaslt() { return loaded_hipblaslt().why_not; }
const HipblasLt& hipblaslt() { return loaded_hipblaslt().usable(); }
hipblasLtHandle_t hipblaslt_handle() { return handle_here<hipblasLtHandle_t>(hipblaslt().create, "hipblasLtCreate"); }

void check(hipblasStatus_t status, const char* what, std::source_location where) {
  if (status == HIPBLAS_STATUS_SUCCESS) return;
  throw Error(std::string(what) + ": status " + std::to_string(status), static_cast<int>(status), where);
}
#endif

}  // namespace crosswarp::gpu
