// A consumer warpgroup's part of a warp-specialized GEMM: sums of an output tile over k-tiles. For files that need
// "ptx"; called by all threads of a warpgroup, where CROSSWARP_TARGET_HAS_WGMMA.
#pragma once

#include "backends/cuda/device/wgmma.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// The factor of a product that has none.
struct Unscaled {};

#if CROSSWARP_TARGET_HAS_WGMMA
/// Sums of 64 x `columns` elements. Fast: in the accumulators, while one k-tile's instructions are in flight. Promoted:
/// each k-tile's partial sum is added in float; another warpgroup keeps the matrix units busy meanwhile. `Product`
/// multiplies k-tiles: WgmmaF16, WgmmaKMajor.
template <class Product, bool promoted, unsigned columns>
struct TileSums {
  float accumulators[columns / 2];
  float promoted_sums[promoted ? columns / 2 : 1];
  unsigned previous = 0;  ///< Stage of the k-tile before.

  /// Multiplies k-tile `step` of the tile, in `stage`, at the shared addresses `a` and `b`. Calls `release(stage)` for
  /// one that has been read.
  template <class Release>
  __device__ void add(unsigned step, unsigned stage, unsigned a, unsigned b, const Release& release) {
    if constexpr (promoted) {
      Product::multiply(accumulators, a, b, false);
      wgmma_wait_group<0>();
      wgmma_fence_operands(accumulators);
      release(stage);
#pragma unroll
      for (unsigned i = 0; i < columns / 2; ++i)
        promoted_sums[i] = step == 0 ? accumulators[i] : promoted_sums[i] + accumulators[i];
    } else {
      Product::multiply(accumulators, a, b, step > 0);
      wgmma_wait_group<1>();  // the previous k-tile's instructions have read their stage
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

/// Calls `use` with the sums times the factor of `scale`; of a product without one with the sums themselves.
/// Accumulators stay as they are: wgmma, which uses them again, would wait for a change.
template <class Scale, unsigned count, class Use>
__device__ void with_scaled(const float (&sums)[count], const Scale& scale, const Use& use) {
  if constexpr (std::is_same_v<Scale, Unscaled>) {
    use(sums);
  } else {
    const float factor = scale.value();
    float scaled[count];
#pragma unroll
    for (unsigned i = 0; i < count; ++i) scaled[i] = factor * sums[i];
    use(scaled);
  }
}
#endif

}  // namespace
}  // namespace crosswarp::gpu

#endif
