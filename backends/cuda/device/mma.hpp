// mma.sync: matrix instructions of one warp (Ampere), the fragments in its registers, ldmatrix and stmatrix. For files
// that need "ptx".
#pragma once

#include "backends/cuda/device/ptx.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// d += a·b, of 16 x 16 and 16 x 8 elements of 16 bits.
template <bool bf16>
__device__ void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  if constexpr (bf16)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Loads four 8 x 8 matrices of 16-bit elements: lane l gives the address of row l % 8 of matrix l / 8, and receives
/// elements 2·(l % 4) and the next one of row l / 4 of each; of column l / 4 if `transposed`.
template <bool transposed>
__device__ void ldmatrix_x4(std::uint32_t (&to)[4], unsigned from) {
  if constexpr (transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/// Stores four 8 x 8 matrices from the registers that ldmatrix_x4<false>() fills. From sm_90 on.
__device__ inline void stmatrix_x4([[maybe_unused]] unsigned to, [[maybe_unused]] const std::uint32_t* from) {
  CROSSWARP_SM90_ASM("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(from[0]),
                     "r"(from[1]), "r"(from[2]), "r"(from[3])
                     : "memory");
}

/// Two neighbouring elements of a row.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T first, second;
};

/// Stores a warp's accumulators of mma.m16n8 or wgmma: 16 rows of `columns`, row-major. Of each eight columns lane l
/// holds 2·(l % 4) and the next one, in row l / 4 (first pair) and row l / 4 + 8 (second pair): "Matrix Fragments" in
/// the PTX ISA.
template <unsigned columns, class T>
__device__ void store_fragment(const T (&accumulators)[columns / 2], T* rows16) {
  const unsigned lane = threadIdx.x % warp_size(), row = lane / 4, column = lane % 4 * 2;
#pragma unroll
  for (unsigned j = 0; j < columns / 8; ++j)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h)
      *reinterpret_cast<Pair<T>*>(rows16 + (row + 8 * h) * columns + 8 * j + column) = {
          accumulators[4 * j + 2 * h], accumulators[4 * j + 2 * h + 1]};
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
