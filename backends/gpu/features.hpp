// Features that not every platform or device has, by the names in a variant's `needs`.
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
  bool expressible;  ///< On this platform; files may use it.
  bool of_device;    ///< Depends on the device, too.
};

inline constexpr std::array features{
    Feature{"ptx", "inline PTX, NVIDIA's assembly", CROSSWARP_HAS_PTX, false},
    Feature{"wmma", "the matrix fragments of NVIDIA's mma.h", CROSSWARP_HAS_WMMA, false},
    Feature{"mma_sync", "warp-wide matrix instructions (mma.sync, Ampere), in PTX", CROSSWARP_HAS_PTX, true},
    Feature{"wgmma", "warpgroup matrix instructions (Hopper), in PTX", CROSSWARP_HAS_PTX, true},
    Feature{"mfma", "matrix instructions of AMD's CDNA 2 and later", CROSSWARP_HAS_MFMA, true},
    Feature{"tma", "the tensor memory accelerator (Hopper), in PTX", CROSSWARP_HAS_PTX, true},
    Feature{"cluster", "thread block clusters with distributed shared memory (Hopper)", CROSSWARP_HAS_PTX, true},
    Feature{"cooperative", "cooperative launch: grid-wide barriers", CROSSWARP_HAS_COOPERATIVE, true},
    Feature{"pdl", "programmatic dependent launch (Hopper)", CROSSWARP_HAS_PTX, true},
    Feature{"graph", "graphs of launches", CROSSWARP_HAS_GRAPH, false},
    Feature{"cub", "NVIDIA's library CUB", CROSSWARP_HAS_CUB, false},
    Feature{"cublas", "NVIDIA's library cuBLAS, found when this was built", CROSSWARP_HAS_CUBLAS, false},
    Feature{"hipcub", "AMD's library hipCUB, found when this was built", CROSSWARP_HAS_HIPCUB, false},
};

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
