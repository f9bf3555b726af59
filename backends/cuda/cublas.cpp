// Loads cuBLAS, of the version that this was built with.
#include "platform/runtime.hpp"

#if CROSSWARP_HAS_CUBLAS
#include <dlfcn.h>

#include <map>

#include "backends/cuda/cublas.hpp"
#include "backends/gpu/error.hpp"
#include "core/error.hpp"

namespace crosswarp::gpu {
namespace {

/// A shared library, and its functions of `Entries`.
template <class Entries>
struct Library {
  Entries entries;
  std::string why_not;

  Library(const std::string& name, int version, void (*load_all)(Library&))
      : file_(name + "." + std::to_string(version)) {
    library_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) {
      const char* const reason = dlerror();
      why_not = "needs cuBLAS, which cannot be loaded: " + std::string(reason ? reason : file_);
      return;
    }
    load_all(*this);
  }

  template <class Entry>
  void load(Entry& entry, const char* name) {
    entry = reinterpret_cast<Entry>(dlsym(library_, name));
    if (!entry) why_not = "needs cuBLAS, but " + file_ + " has no " + name;
  }

  const Entries& usable() const {
    if (!why_not.empty()) throw Error(why_not);
    return entries;
  }

 private:
  std::string file_;
  void* library_ = nullptr;
};

const Library<Cublas>& library() {
  static const Library<Cublas> loaded("libcublas.so", CUBLAS_VER_MAJOR, [](Library<Cublas>& from) {
    from.load(from.entries.create, "cublasCreate_v2");
    from.load(from.entries.set_stream, "cublasSetStream_v2");
    from.load(from.entries.status_string, "cublasGetStatusString");
    from.load(from.entries.sgemv, "cublasSgemv_v2");
    from.load(from.entries.sgemm, "cublasSgemm_v2");
    from.load(from.entries.set_math_mode, "cublasSetMathMode");
    from.load(from.entries.gemm_ex, "cublasGemmEx");
  });
  return loaded;
}

const Library<CublasLt>& library_lt() {
  static const Library<CublasLt> loaded("libcublasLt.so", CUBLAS_VER_MAJOR, [](Library<CublasLt>& from) {
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

/// The handle of the current device, which `create` makes at the first use.
template <class Handle, class Create>
Handle handle_here(Create create, const char* what) {
  static std::map<int, Handle> handles;
  int device = 0;
  check(cudaGetDevice(&device), "get device");
  Handle& handle = handles[device];
  if (!handle) check(create(&handle), what);
  return handle;
}

}  // namespace

std::string why_no_cublas() { return library().why_not; }
std::string why_no_cublaslt() { return library_lt().why_not.empty() ? why_no_cublas() : library_lt().why_not; }

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
