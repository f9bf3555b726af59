// gemv and cluster_gemv, as dispatchers call them.
#pragma once

#include <optional>

#include "backends/cuda/tensor_gemm/operands.hpp"
#include "backends/gpu/candidate.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_gemv {

/// The cheapest launch. None where it is not for this shape: more than one row and column, or an empty product.
std::optional<Choice<MatmulF16>> choice(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_gemv

#if CROSSWARP_HAS_PTX
namespace matmul_f16_cluster_gemv {

/// As above, for one row and layout nn. None, too, on a device without clusters.
std::optional<Choice<MatmulF16>> choice(const Queue& queue, const MatmulF16::Args& args);

}  // namespace matmul_f16_cluster_gemv
#endif
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
