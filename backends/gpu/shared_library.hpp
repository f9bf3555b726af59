// A vendor's library, loaded on first use: loading is slow, and the program must start without it.
#pragma once

#include <dlfcn.h>

#include <map>
#include <string>
#include <vector>

#include "backends/gpu/error.hpp"
#include "core/error.hpp"

namespace crosswarp::gpu {

/// A shared library, and its functions of `Entries`.
template <class Entries>
struct SharedLibrary {
  Entries entries;
  std::string why_not;  ///< Why it cannot be used; else empty.

  /// `name`: the library's, for errors. Loads the first of `files` that is installed, then calls `load_all`.
  SharedLibrary(const std::string& name, const std::vector<std::string>& files, void (*load_all)(SharedLibrary&))
      : name_(name) {
    for (const std::string& file : files) {
      file_ = file;
      library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library_) continue;
      load_all(*this);
      return;
    }
    const char* const reason = dlerror();
    why_not = "needs " + name_ + ", which cannot be loaded: " + std::string(reason ? reason : file_);
  }

  template <class Entry>
  void load(Entry& entry, const char* function) {
    entry = reinterpret_cast<Entry>(dlsym(library_, function));
    if (!entry) why_not = "needs " + name_ + ", but " + file_ + " has no " + function;
  }

  const Entries& usable() const {
    if (!why_not.empty()) throw Error(why_not);
    return entries;
  }

 private:
  std::string name_, file_;
  void* library_ = nullptr;
};

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

}  // namespace crosswarp::gpu
