// The value of an element of 16 bits.
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"

namespace crosswarp::gpu {
namespace {

template <bool bf16>
__device__ float value_of(std::uint16_t bits) {
  if constexpr (bf16)
    return widened(Bfloat16{bits});
  else
    return widened(Half{bits});
}

}  // namespace
}  // namespace crosswarp::gpu
