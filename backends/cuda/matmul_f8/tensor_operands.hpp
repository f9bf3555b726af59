// Operands and output of an 8-bit GEMM as the matrix units' tiles take them: a pair of 8-bit elements along k is one of
// 16 bits, so that copies, swizzle and ring are those of tensor_gemm. For files that need "ptx".
#pragma once

#include "backends/cuda/matmul_f8/operands.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Elements along k of a k-tile: 128 bytes.
constexpr unsigned tile_k8 = 2 * tile_k;

/// As a matrix of pairs. Requires an even number of columns.
__host__ __device__ inline Operand pairs(const Matrix8& matrix) {
  return {reinterpret_cast<const std::uint16_t*>(matrix.data), matrix.rows, matrix.columns / 2, matrix.columns / 2};
}

inline Operands operands_in_pairs(const MatmulF8::Args& args) { return {pairs(matrix_a(args)), pairs(matrix_b(args))}; }

/// C as that of a bfloat16 product: stores float or bfloat16, and does not scale.
inline Output unscaled_output(const MatmulF8::Args& args) {
  return Output(MatmulF16::Args{.a = {},
                                .b = {},
                                .c = args.c,
                                .m = args.m,
                                .n = args.n,
                                .k = args.k,
                                .bf16 = true,
                                .b_transposed = true,
                                .f32_out = args.f32_out});
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
