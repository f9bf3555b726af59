// What kernels of the TF32 GEMM share: dispatch of empty products, sizes in 32 bits, the cut to 11 bits.
#pragma once

#include <bit>

#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_tf32.hpp"

namespace crosswarp::gpu {
namespace {

/// The number without its last 13 bits, as matrix units read it: 11 significant bits, exact in TF32.
__host__ __device__ constexpr float cut_to_tf32(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u);
}

/// Whether the product is empty. Then C is complete: zeros where k = 0.
inline bool finish_if_empty(const Queue& queue, const MatmulTf32::Args& args) {
  if (args.k == 0) clear(queue, args.c);
  return args.m == 0 || args.n == 0 || args.k == 0;
}

}  // namespace
}  // namespace crosswarp::gpu
