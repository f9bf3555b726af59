// The persistent GEMM of floats in TF32, whose kernels are those of two variants: `persistent` and `pingpong`.
#pragma once

#include "backends/cuda/matmul_tf32/dispatch.hpp"
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// What matmul_tf32_persistent calls for Schedule::pingpong.
namespace matmul_tf32_pingpong {
unsigned resident_clusters(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config);
/// Multiplies `operands`, which are those of `args` or what the pass has written. Requires a product that is not empty.
void gemm(const Queue& queue, const MatmulTf32::Args& args, const Operands& operands, const PersistentConfig& config);
}  // namespace matmul_tf32_pingpong

}  // namespace CROSSWARP_PLATFORM

namespace {

/// `Kernels`: a variant's, as with_kernel_of() looks them up.
template <class Kernels>
void multiply(const Queue& queue, const MatmulTf32::Args& args, const Operands& operands,
              const PersistentConfig& config) {
  const Output out = output(args);
  launch_persistent<Kernels>(queue, args, config, operands, true, out, out);
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
