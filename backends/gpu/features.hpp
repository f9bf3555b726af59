// What kernels may use that not every platform or device has, by the names that variants need them under.
#pragma once

#include <array>
#include <string_view>

#include "platform/runtime.hpp"

#ifndef CROSSWARP_HAS_PTX
#define CROSSWARP_HAS_PTX 0
#endif
#ifndef CROSSWARP_HAS_WMMA
#define CROSSWARP_HAS_WMMA 0
#endif
#ifndef CROSSWARP_HAS_MFMA
#define CROSSWARP_HAS_MFMA 0
#endif
#ifndef CROSSWARP_HAS_COOPERATIVE
#define CROSSWARP_HAS_COOPERATIVE 0
#endif
#ifndef CROSSWARP_HAS_GRAPH
#define CROSSWARP_HAS_GRAPH 0
#endif
#ifndef CROSSWARP_HAS_CUB
#define CROSSWARP_HAS_CUB 0
#endif
#ifndef CROSSWARP_HAS_CUBLAS
#define CROSSWARP_HAS_CUBLAS 0
#endif
#ifndef CROSSWARP_HAS_HIPCUB
#define CROSSWARP_HAS_HIPCUB 0
#endif

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

struct Feature {
  std::string_view name;
  std::string_view what;
  bool expressible;  ///< On this platform: files may use it.
  bool of_device;    ///< Not every device of a platform that can express it has it.
};

inline constexpr std::array features{
    Feature{"ptx", "inline PTX, the assembly of NVIDIA's GPUs", CROSSWARP_HAS_PTX, false},
    Feature{"wmma", "the matrix fragments of NVIDIA's mma.h", CROSSWARP_HAS_WMMA, false},
    Feature{"mma_sync", "the matrix instructions of a warp as they are from Ampere on, reached by PTX",
            CROSSWARP_HAS_PTX, true},
    Feature{"wgmma", "the matrix instructions of Hopper's warpgroups, reached by PTX", CROSSWARP_HAS_PTX, true},
    Feature{"mfma", "the matrix instructions of AMD's CDNA, from its second generation on", CROSSWARP_HAS_MFMA, true},
    Feature{"tma", "Hopper's bulk copies of tensors, reached by PTX", CROSSWARP_HAS_PTX, true},
    Feature{"cluster", "clusters of blocks that see each other's shared memory", CROSSWARP_HAS_PTX, true},
    Feature{"cooperative", "blocks that wait for each other", CROSSWARP_HAS_COOPERATIVE, true},
    Feature{"programmatic", "launches that begin before the one ahead of them has ended", CROSSWARP_HAS_PTX, true},
    Feature{"graph", "launches that are recorded once and enqueued as one", CROSSWARP_HAS_GRAPH, false},
    Feature{"cub", "NVIDIA's library CUB", CROSSWARP_HAS_CUB, false},
    Feature{"cublas", "NVIDIA's library cuBLAS, found when this was built", CROSSWARP_HAS_CUBLAS, false},
    Feature{"hipcub", "AMD's library hipCUB, found when this was built", CROSSWARP_HAS_HIPCUB, false},
};

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
