// The persistent GEMM of 8-bit elements, whose kernels are those of two variants: `persistent` and `pingpong`.
#pragma once

#include "backends/cuda/matmul_f8/dispatch.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

// As those of matmul_f8_persistent, which call these for Schedule::pingpong. Fast sums.
namespace matmul_f8_pingpong {
unsigned resident_clusters(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config);
void gemm(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config);
}  // namespace matmul_f8_pingpong

}  // namespace CROSSWARP_PLATFORM

namespace {

/// `Kernels`: a variant's, as with_kernel_of() looks them up.
template <class Kernels>
void multiply(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  launch_persistent<Kernels>(queue, args, config, operands_in_pairs(args), true, unscaled_output(args),
                             scaled_output(args), scale_of(args));
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
