// CUDA's runtime. Kernels and the device layer use its names, which every other platform supplies.
#pragma once

#include <cuda_runtime.h>

/// Name of the platform, and of the inline namespace of code compiled once per platform.
#define CROSSWARP_PLATFORM cuda
#define CROSSWARP_PLATFORM_NAME "cuda"

// Features for `#if`; backends/gpu/features.hpp describes them.
#define CROSSWARP_HAS_PTX 1
#define CROSSWARP_HAS_WMMA 1
#define CROSSWARP_HAS_COOPERATIVE 1
#define CROSSWARP_HAS_GRAPH 1
#define CROSSWARP_HAS_CUB 1
#if __has_include(<cublas_v2.h>)
#define CROSSWARP_HAS_CUBLAS 1
#endif
