// The target of the loaded code, stored in each image of the program, so that no launch is needed.
#include "backends/gpu/error.hpp"
#include "backends/gpu/nvidia_features.hpp"

namespace crosswarp::gpu {
namespace {

#if defined(__CUDA_ARCH__)
__device__ Target of_image{__CUDA_ARCH__ / 10, CROSSWARP_TARGET_HAS_WGMMA};
#else
__device__ Target of_image;  // the host's symbol
#endif

}  // namespace

Target target_of_code() {
  Target target;
  check(cudaMemcpyFromSymbol(&target, of_image, sizeof target), "target of the loaded code");
  return target;
}

}  // namespace crosswarp::gpu
