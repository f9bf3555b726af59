// Profiler ranges on AMD's GPUs, by ROCTx, which is loaded at run time: profilers of ROCm bring it.
#pragma once

#include <string>
#include <vector>

namespace crosswarp::gpu {

class Roctx {
 public:
  /// Loads the first of `libraries` that is installed; without one, ranges cost nothing.
  explicit Roctx(const std::vector<std::string>& libraries = known_libraries());

  /// Begins a range of the calling thread, until pop(). Ranges nest.
  void push(const std::string& name) const;
  void pop() const noexcept;

  /// By soname: ROCm 7, 6, and a development package's; and in $ROCM_PATH/lib and /opt/rocm/lib.
  static std::vector<std::string> known_libraries();

 private:
  // Of rocprofiler-sdk-roctx/roctx.h: the nesting level; negative for an error.
  int (*push_)(const char* name) = nullptr;
  int (*pop_)() = nullptr;
};

}  // namespace crosswarp::gpu
