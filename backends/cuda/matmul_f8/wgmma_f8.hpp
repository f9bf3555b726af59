// wgmma on k-tiles of 8-bit operands in swizzled shared memory, both with rows along k; sums stay in the instruction's
// accumulators, or are promoted to float. For files that need "ptx"; called by all threads of a warpgroup, where
// CROSSWARP_TARGET_HAS_WGMMA.
#pragma once

#include "backends/cuda/device/wgmma.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Broadcasts a warp-uniform value, so that the compiler keeps it, and what follows from it, in uniform registers.
__device__ inline unsigned uniform_in_warp(unsigned value) { return shuffle(value, 0); }

#if CROSSWARP_TARGET_HAS_WGMMA
// Operands after the accumulators: both descriptors, whether to accumulate, signs. 8-bit operands are K-major. `b_at`
// and `accumulate_at` are `count` + 1 and + 2.
#define CROSSWARP_WGMMA_F8(columns, count, b_at, accumulate_at, type)                                      \
  asm volatile("{\n.reg .pred accumulate;\nsetp.ne.b32 accumulate, %" #accumulate_at                       \
               ", 0;\n"                                                                                    \
               "wgmma.mma_async.sync.aligned.m64n" #columns "k32.f32." type                                \
               ".e4m3"                                                                                     \
               " {" CROSSWARP_WGMMA_##count##_REGISTERS "}, %" #count ", %" #b_at ", accumulate, 1, 1;\n}" \
               : CROSSWARP_WGMMA_##count##_ACC("+f", d)                                                    \
               : "l"(a), "l"(b), "r"(accumulate))
#define CROSSWARP_WGMMA_F8_BY_TYPE(columns, count, b_at, accumulate_at)                                     \
  do {                                                                                                      \
    if constexpr (std::is_same_v<A, E5m2>) CROSSWARP_WGMMA_F8(columns, count, b_at, accumulate_at, "e5m2"); \
    if constexpr (std::is_same_v<A, E4m3>) CROSSWARP_WGMMA_F8(columns, count, b_at, accumulate_at, "e4m3"); \
  } while (false)

/// d = a·b, of 64 x 32 and 32 x 2·`count` elements, or d += a·b if `accumulate`. Warp w of the warpgroup holds rows
/// 16·w and on of d, in registers as store_fragment() has them.
template <class A, unsigned count>
__device__ void wgmma_f8(float (&d)[count], std::uint64_t a, std::uint64_t b, int accumulate) {
  static_assert(count == 32 || count == 64 || count == 96 || count == 128);
  if constexpr (count == 32) CROSSWARP_WGMMA_F8_BY_TYPE(64, 32, 33, 34);
  if constexpr (count == 64) CROSSWARP_WGMMA_F8_BY_TYPE(128, 64, 65, 66);
  if constexpr (count == 96) CROSSWARP_WGMMA_F8_BY_TYPE(192, 96, 97, 98);
  if constexpr (count == 128) CROSSWARP_WGMMA_F8_BY_TYPE(256, 128, 129, 130);
}
#undef CROSSWARP_WGMMA_F8_BY_TYPE
#undef CROSSWARP_WGMMA_F8

/// Issues the instructions of a k-tile of 128 as one group: 64 rows at the shared address `a`, 2·`count` columns at
/// `b`. Without `accumulate` the old accumulators are dropped.
template <class A, unsigned count>
__device__ void wgmma_f8_k_tile(float (&accumulators)[count], unsigned a, unsigned b, bool accumulate) {
  constexpr std::uint64_t layout = wgmma_layout(16, 8 * row_bytes, WgmmaSwizzle::bytes_128);
  constexpr unsigned k = 32;  // elements and bytes of an instruction
  const std::uint64_t first_a = wgmma_descriptor(a, layout), first_b = wgmma_descriptor(b, layout);
  wgmma_fence();
#pragma unroll
  for (unsigned i = 0; i < tile_k8 / k; ++i)
    wgmma_f8<A>(accumulators, first_a + i * (k >> 4), first_b + i * (k >> 4), accumulate || i > 0);
  wgmma_commit_group();
}

/// A warpgroup's sums of 64 x `columns` elements over k-tiles. Fast: in the accumulators, while one k-tile's
/// instructions are in flight. Promoted: each k-tile's partial sum of 128 products is added in float; another warpgroup
/// keeps the matrix units busy meanwhile.
template <class A, bool promoted, unsigned columns>
struct TileSums {
  float accumulators[columns / 2];
  float promoted_sums[promoted ? columns / 2 : 1];
  unsigned previous = 0;  ///< Stage of the k-tile before.

  /// Multiplies k-tile `step` of the tile, in `stage`, at the shared addresses `a` and `b`. Calls `release(stage)` for
  /// one that has been read.
  template <class Release>
  __device__ void add(unsigned step, unsigned stage, unsigned a, unsigned b, const Release& release) {
    if constexpr (promoted) {
      wgmma_f8_k_tile<A>(accumulators, a, b, false);
      wgmma_wait_group<0>();
      wgmma_fence_operands(accumulators);
      release(stage);
#pragma unroll
      for (unsigned i = 0; i < columns / 2; ++i)
        promoted_sums[i] = step == 0 ? accumulators[i] : promoted_sums[i] + accumulators[i];
    } else {
      wgmma_f8_k_tile<A>(accumulators, a, b, step > 0);
      wgmma_wait_group<1>();
      if (step > 0) release(previous);
      previous = stage;
    }
  }
  /// After the tile's last k-tile.
  template <class Release>
  __device__ void finish(const Release& release) {
    if constexpr (!promoted) {
      wgmma_wait_group<0>();
      wgmma_fence_operands(accumulators);
      release(previous);
    }
  }
  __device__ float (&sums())[columns / 2] {
    if constexpr (promoted)
      return promoted_sums;
    else
      return accumulators;
  }
};
#endif

}  // namespace
}  // namespace crosswarp::gpu

#endif
