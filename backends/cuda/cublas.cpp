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

struct Library {
  Cublas entries;
  std::string why_not;

  Library() {
    const std::string file = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char* const reason = dlerror();
      why_not = "needs cuBLAS, which cannot be loaded: " + std::string(reason ? reason : file);
      return;
    }
    const auto load = [&](auto& entry, const char* name) {
      entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library, name));
      if (!entry) why_not = "needs cuBLAS, but " + file + " has no " + name;
    };
    load(entries.create, "cublasCreate_v2");
    load(entries.set_stream, "cublasSetStream_v2");
    load(entries.status_string, "cublasGetStatusString");
    load(entries.sgemv, "cublasSgemv_v2");
    load(entries.sgemm, "cublasSgemm_v2");
    load(entries.set_math_mode, "cublasSetMathMode");
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

std::string why_no_cublas() { return library().why_not; }

const Cublas& cublas() {
  if (!library().why_not.empty()) throw Error(library().why_not);
  return library().entries;
}

cublasHandle_t cublas_handle(cudaStream_t stream) {
  static std::map<int, cublasHandle_t> handles;  // by device
  int device = 0;
  check(cudaGetDevice(&device), "get device");
  cublasHandle_t& handle = handles[device];
  if (!handle) check(cublas().create(&handle), "cublasCreate");
  check(cublas().set_stream(handle, stream), "cublasSetStream");
  return handle;
}

void check(cublasStatus_t status, const char* what, std::source_location where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(std::string(what) + ": " + cublas().status_string(status), static_cast<int>(status), where);
}

}  // namespace crosswarp::gpu
#endif
