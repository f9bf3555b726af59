// A consumer warpgroup's part of a warp-specialized GEMM: sums of an output tile over k-tiles. For files that need
// "ptx"; called by all threads of a warpgroup, where CROSSWARP_TARGET_HAS_WGMMA.
#pragma once

#include "backends/cuda/device/wgmma.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// k-tiles whose products are one partial sum of promoted ones: 4 of 128 8-bit elements, as many as 14 bits hold.
constexpr unsigned k_tiles_to_promote = 4;

/// The factor of a product that has none.
struct Unscaled {};

#if CROSSWARP_TARGET_HAS_WGMMA
/// Where a k-tile is: its stage of the ring, and the shared addresses of the warpgroup's rows of A and of B.
struct StagedTile {
  unsigned stage, a, b;
};

/// Sums of 64 x `columns` elements. Fast: in the accumulators, while one k-tile's instructions are in flight. Promoted:
/// partial sums of k_tiles_to_promote are added in float; another warpgroup keeps the matrix units busy meanwhile.
/// `Product` multiplies k-tiles: WgmmaF16, WgmmaKMajor.
template <class Product, bool promoted, unsigned columns>
struct TileSums {
  float accumulators[columns / 2];
  float promoted_sums[promoted ? columns / 2 : 1];

  /// Sums `k_tiles`, one or more. `wait()` waits for the next k-tile and returns a StagedTile, `release(stage)` is
  /// called for one that has been read, and `meanwhile(step)` while a k-tile's instructions are in flight.
  template <class Wait, class Release, class Meanwhile>
  __device__ void add(unsigned k_tiles, const Wait& wait, const Release& release, const Meanwhile& meanwhile) {
    if constexpr (promoted) {
      for (unsigned first = 0; first < k_tiles; first += k_tiles_to_promote) {
        accumulate(first, std::min(first + k_tiles_to_promote, k_tiles), wait, release, meanwhile);
#pragma unroll
        for (unsigned i = 0; i < columns / 2; ++i)
          promoted_sums[i] = first == 0 ? accumulators[i] : promoted_sums[i] + accumulators[i];
      }
    } else {
      accumulate(0, k_tiles, wait, release, meanwhile);
    }
  }
  __device__ float (&sums())[columns / 2] {
    if constexpr (promoted)
      return promoted_sums;
    else
      return accumulators;
  }

 private:
  /// Sums the k-tiles from `first` to before `end` in the accumulators.
  template <class Wait, class Release, class Meanwhile>
  __device__ void accumulate(unsigned first, unsigned end, const Wait& wait, const Release& release,
                             const Meanwhile& meanwhile) {
    unsigned previous = 0;
    for (unsigned step = first; step < end; ++step) {
      const StagedTile tile = wait();
      Product::multiply(accumulators, tile.a, tile.b, step > first);
      wgmma_wait_group<1>();  // the previous k-tile's instructions have read their stage
      if (step > first) release(previous);
      previous = tile.stage;
      meanwhile(step);
    }
    wgmma_wait_group<0>();
    wgmma_fence_operands(accumulators);
    release(previous);
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
