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
/// k-tiles whose products are one partial sum of promoted ones: 4 of 128 8-bit elements, as many as 14 bits hold.
constexpr unsigned k_tiles_to_promote = 4;

/// Sums of 64 x `columns` elements. Fast: in the accumulators, while one k-tile's instructions are in flight. Promoted:
/// partial sums of k_tiles_to_promote are added in float; another warpgroup keeps the matrix units busy meanwhile.
/// `Product` multiplies k-tiles: WgmmaF16, WgmmaKMajor.
template <class Product, bool promoted, unsigned columns>
struct TileSums {
  float accumulators[columns / 2];
  float promoted_sums[promoted ? columns / 2 : 1];
  unsigned previous = 0;  ///< Stage of the k-tile before.
  unsigned steps = 0;     ///< Of the tile so far, of promoted sums.

  /// Multiplies k-tile `step` of the tile, in `stage`, at the shared addresses `a` and `b`. Calls `release(stage)` for
  /// one that has been read.
  template <class Release>
  __device__ void add(unsigned step, unsigned stage, unsigned a, unsigned b, const Release& release) {
    if constexpr (promoted) {
      const unsigned of_partial = step % k_tiles_to_promote;
      Product::multiply(accumulators, a, b, of_partial > 0);
      steps = step + 1;
      if (of_partial > 0) {
        wgmma_wait_group<1>();
        release(previous);
      }
      previous = stage;
      if (of_partial == k_tiles_to_promote - 1) promote(step < k_tiles_to_promote, release);
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
    if constexpr (promoted) {
      if (steps % k_tiles_to_promote > 0) promote(steps < k_tiles_to_promote, release);
    } else {
      wgmma_wait_group<0>();
      wgmma_fence_operands(accumulators);
      release(previous);
    }
  }
  /// Adds the partial sum, the tile's first one if `is_first`.
  template <class Release>
  __device__ void promote(bool is_first, const Release& release) {
    wgmma_wait_group<0>();
    wgmma_fence_operands(accumulators);
    release(previous);
#pragma unroll
    for (unsigned i = 0; i < columns / 2; ++i)
      promoted_sums[i] = is_first ? accumulators[i] : promoted_sums[i] + accumulators[i];
  }
  __device__ float (&sums())[columns / 2] {
    if constexpr (promoted)
      return promoted_sums;
    else
      return accumulators;
  }
};

/// Returns a function that gives sum `i`, times the factor of `scale` if there is one. The sums stay as they are:
/// wgmma, which uses accumulators again, would wait for a change.
template <class Scale, unsigned count>
__device__ auto scaled(const float (&sums)[count], const Scale& scale) {
  if constexpr (std::is_same_v<Scale, Unscaled>)
    return [&sums](unsigned i) { return sums[i]; };
  else
    return [&sums, factor = scale.value()](unsigned i) { return factor * sums[i]; };
}
#endif

}  // namespace
}  // namespace crosswarp::gpu

#endif
