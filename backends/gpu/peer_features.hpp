// What experiments over several devices need of a platform, for `#if` and `.not_expressible`.
#pragma once

#include "backends/gpu/features.hpp"

// Device memory that kernels of several devices share coherently. The emulation says so itself.
#ifndef CROSSWARP_HAS_PEERS
#define CROSSWARP_HAS_PEERS CROSSWARP_HAS_PTX
#endif
#if CROSSWARP_HAS_PTX && __has_include(<nccl.h>)
#define CROSSWARP_HAS_NCCL 1
#else
#define CROSSWARP_HAS_NCCL 0
#endif

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// Why a variant whose kernels read and write other devices' memory is not expressible; empty where it is.
inline constexpr const char* needs_peers =
    CROSSWARP_HAS_PEERS ? ""
                        : "needs device memory that kernels of several devices share coherently; hipMalloc's is not";
inline constexpr const char* needs_nccl =
    CROSSWARP_HAS_NCCL ? "" : "needs nccl, NVIDIA's library NCCL, found when this was built";

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
