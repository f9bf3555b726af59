// Features by compilation target (sm_80, sm_90a), of a GPU and of code compiled for one. Plain C++ outside kernels.
#pragma once

#include <string>
#include <vector>

// Features of the target being compiled for. Kernels leave out what it lacks, and features_of() reports it.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CROSSWARP_TARGET_FROM_SM90 1
#else
#define CROSSWARP_TARGET_FROM_SM90 0
#endif
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define CROSSWARP_TARGET_HAS_WGMMA 1
#else
#define CROSSWARP_TARGET_HAS_WGMMA 0
#endif

namespace crosswarp::gpu {

/// The lowest compute capability that kernels compile for.
inline constexpr int least_capability = 80;

struct Target {
  int capability = 0;      ///< 90 for sm_90 and sm_90a.
  bool has_wgmma = false;  ///< In code: wgmma and setmaxnreg exist in sm_90a only, not in sm_90.
};

/// The target of the code loaded on the current device. Throws Error.
Target target_of_code();

/// The target whose code may use every feature of the device.
constexpr Target target_of_device(int major, int minor) { return {10 * major + minor, major == 9}; }

/// `sm_90a`
inline std::string name_of(const Target& target) {
  return "sm_" + std::to_string(target.capability) + (target.has_wgmma ? "a" : "");
}

/// Those of `features` (backends/gpu/features.hpp) that not every device has.
inline std::vector<std::string> features_of(const Target& target) {
  std::vector<std::string> features{"cooperative"};
  if (target.capability >= 80) features.push_back("mma_sync");
  if (target.capability >= 90) features.insert(features.end(), {"cluster", "pdl", "tma"});
  if (target.has_wgmma) features.push_back("wgmma");
  return features;
}

/// What to do so that a build has all features on a device, as cmake/cuda.cmake does where it finds one.
inline std::string how_to_compile_for(int capability) {
  if (capability < least_capability) return "crosswarp needs compute capability 8.0 or later";
  return "configure with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(capability) + (capability >= 90 ? "a" : "") +
         "-real";
}

}  // namespace crosswarp::gpu
