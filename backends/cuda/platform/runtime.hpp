// CUDA as the platform. Kernels and device layer are written in its names; every other platform supplies these names.
#pragma once

#include <cuda_runtime.h>

/// Names the platform, and the inline namespace of all that is compiled once for each.
#define CROSSWARP_PLATFORM cuda
#define CROSSWARP_PLATFORM_NAME "cuda"

// What files may use behind `#if`; backends/gpu/features.hpp says what each one is.
#define CROSSWARP_HAS_PTX 1
#define CROSSWARP_HAS_WMMA 1
#define CROSSWARP_HAS_COOPERATIVE 1
#define CROSSWARP_HAS_GRAPH 1
#define CROSSWARP_HAS_CUB 1
#if __has_include(<cublas_v2.h>)
#define CROSSWARP_HAS_CUBLAS 1
#endif
