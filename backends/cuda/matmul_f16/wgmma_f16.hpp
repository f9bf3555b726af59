// wgmma on k-tiles of 16-bit operands in swizzled shared memory, accumulators of float in registers. For files that
// need "ptx"; called by all threads of a warpgroup, where CROSSWARP_TARGET_HAS_WGMMA.
#pragma once

#include "backends/cuda/device/wgmma.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"
#include "backends/cuda/tensor_gemm/wgmma_accumulators.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Elements along k of one instruction.
constexpr unsigned wgmma_k = 16;

/// How wgmma reads a k-tile from shared memory.
struct OperandLayout {
  std::uint64_t layout;  ///< Of wgmma_descriptor().
  unsigned k_step;       ///< From one instruction's descriptor to the next one's: units of 16 bytes.

  /// Rows along k (A not transposed, B transposed): groups of eight rows follow each other; the leading offset is not
  /// used.
  static constexpr OperandLayout k_major() {
    return {wgmma_layout(16, 8 * row_bytes, WgmmaSwizzle::bytes_128), wgmma_k * 2 >> 4};
  }
  /// Panels of 64 columns, one row per k (A transposed, B not): the leading offset leads to the next panel, the
  /// stride to the next eight k.
  static constexpr OperandLayout mn_major() {
    return {wgmma_layout(std::uint64_t{tile_k} * row_bytes, 8 * row_bytes, WgmmaSwizzle::bytes_128),
            wgmma_k * row_bytes >> 4};
  }
};

#if CROSSWARP_TARGET_HAS_WGMMA
// Operands after the accumulators: both descriptors, whether to accumulate, signs, whether A and B are MN-major. `b_at`
// and `accumulate_at` are `count` + 1 and + 2.
#define CROSSWARP_WGMMA(columns, count, b_at, accumulate_at, type, mn_major)                                      \
  asm volatile("{\n.reg .pred accumulate;\nsetp.ne.b32 accumulate, %" #accumulate_at                              \
               ", 0;\n"                                                                                           \
               "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type                              \
               " {" CROSSWARP_WGMMA_##count##_REGISTERS "}, %" #count ", %" #b_at ", accumulate, 1, 1, " mn_major \
                                                        ";\n}"                                                    \
               : CROSSWARP_WGMMA_##count##_ACC("+f", d)                                                           \
               : "l"(a), "l"(b), "r"(accumulate))
#define CROSSWARP_WGMMA_BY_TYPE(columns, count, b_at, accumulate_at, type)                                            \
  do {                                                                                                                \
    if constexpr (a_transposed) CROSSWARP_WGMMA(columns, count, b_at, accumulate_at, type, "1, 0");                   \
    if constexpr (!a_transposed && b_transposed) CROSSWARP_WGMMA(columns, count, b_at, accumulate_at, type, "0, 0");  \
    if constexpr (!a_transposed && !b_transposed) CROSSWARP_WGMMA(columns, count, b_at, accumulate_at, type, "0, 1"); \
  } while (false)
#define CROSSWARP_WGMMA_OF(columns, count, b_at, accumulate_at)                               \
  do {                                                                                        \
    if constexpr (bf16) CROSSWARP_WGMMA_BY_TYPE(columns, count, b_at, accumulate_at, "bf16"); \
    if constexpr (!bf16) CROSSWARP_WGMMA_BY_TYPE(columns, count, b_at, accumulate_at, "f16"); \
  } while (false)

/// d = a·b, of 64 x 16 and 16 x 2·`count` elements, or d += a·b if `accumulate`. Rows of `a` run along k, or along its
/// 64 rows if it is transposed; rows of `b` along k if it is transposed. Warp w of the warpgroup holds rows 16·w and on
/// of d, in registers as store_fragment() has them.
template <bool bf16, bool b_transposed, bool a_transposed, unsigned count>
__device__ void wgmma(float (&d)[count], std::uint64_t a, std::uint64_t b, int accumulate) {
  static_assert(b_transposed || !a_transposed, "both MN-major: no kernel needs it");
  static_assert(count >= 32 && count <= 128 && count % 8 == 0);
  if constexpr (count == 32) CROSSWARP_WGMMA_OF(64, 32, 33, 34);
  if constexpr (count == 48) CROSSWARP_WGMMA_OF(96, 48, 49, 50);
  if constexpr (count == 64) CROSSWARP_WGMMA_OF(128, 64, 65, 66);
  if constexpr (count == 72) CROSSWARP_WGMMA_OF(144, 72, 73, 74);
  if constexpr (count == 80) CROSSWARP_WGMMA_OF(160, 80, 81, 82);
  if constexpr (count == 88) CROSSWARP_WGMMA_OF(176, 88, 89, 90);
  if constexpr (count == 96) CROSSWARP_WGMMA_OF(192, 96, 97, 98);
  if constexpr (count == 112) CROSSWARP_WGMMA_OF(224, 112, 113, 114);
  if constexpr (count == 128) CROSSWARP_WGMMA_OF(256, 128, 129, 130);
}
#undef CROSSWARP_WGMMA_OF
#undef CROSSWARP_WGMMA_BY_TYPE
#undef CROSSWARP_WGMMA

/// Issues a k-tile's instructions as one group: 64 rows at the shared address `a`, 2·`count` columns at `b`. Without
/// `accumulate` the old accumulators are dropped.
template <bool bf16, bool b_transposed, bool a_transposed = false, unsigned count>
__device__ void wgmma_k_tile(float (&accumulators)[count], unsigned a, unsigned b, bool accumulate) {
  constexpr OperandLayout layout_a = a_transposed ? OperandLayout::mn_major() : OperandLayout::k_major(),
                          layout_b = b_transposed ? OperandLayout::k_major() : OperandLayout::mn_major();
  const std::uint64_t first_a = wgmma_descriptor(a, layout_a.layout), first_b = wgmma_descriptor(b, layout_b.layout);
  wgmma_fence();
#pragma unroll
  for (unsigned i = 0; i < tile_k / wgmma_k; ++i)
    wgmma<bf16, b_transposed, a_transposed>(accumulators, first_a + i * layout_a.k_step, first_b + i * layout_b.k_step,
                                            accumulate || i > 0);
  wgmma_commit_group();
}

/// That product, for kernels over any type.
template <bool bf16, bool b_transposed, bool a_transposed = false>
struct WgmmaF16 {
  static constexpr bool a_is_transposed = a_transposed, b_is_transposed = b_transposed;
  static constexpr bool is_bf16 = bf16;  ///< Of C, where it is not float.

  template <unsigned count>
  __device__ static void multiply(float (&accumulators)[count], unsigned a, unsigned b, bool accumulate) {
    wgmma_k_tile<bf16, b_transposed, a_transposed>(accumulators, a, b, accumulate);
  }
};
#endif

}  // namespace
}  // namespace crosswarp::gpu

#endif
