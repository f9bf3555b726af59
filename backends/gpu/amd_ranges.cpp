// ROCTx of rocprofiler-sdk, https://rocm.docs.amd.com/projects/rocprofiler-sdk: signatures as in its header of ROCm 6.2
// and 7.0.
#include "backends/gpu/amd_ranges.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <type_traits>

namespace crosswarp::gpu {

std::vector<std::string> Roctx::known_libraries() {
  std::vector<std::string> libraries;
  std::vector<std::string> folders{""};
  if (const char* rocm = std::getenv("ROCM_PATH")) folders.push_back(rocm + std::string("/lib/"));
  folders.emplace_back("/opt/rocm/lib/");
  for (const std::string& folder : folders)
    for (const char* version : {".so.1", ".so.0", ".so"})
      libraries.push_back(folder + "librocprofiler-sdk-roctx" + version);
  return libraries;
}

Roctx::Roctx(const std::vector<std::string>& libraries) {
  void* library = nullptr;
  for (const std::string& name : libraries)
    if (!library) library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  // Both or none: a range that begins must end.
  if (!load(push_, "roctxRangePushA") || !load(pop_, "roctxRangePop")) push_ = nullptr;
}

void Roctx::push(const std::string& name) const {
  if (push_) push_(name.c_str());
}

void Roctx::pop() const noexcept {
  if (push_) pop_();
}

}  // namespace crosswarp::gpu
