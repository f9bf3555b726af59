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

/// Sums of 64 x `columns` elements over k-tiles, while one k-tile's instructions are in flight. `Product` multiplies
/// k-tiles: WgmmaF16, WgmmaKMajor. Promoted: partial sums of k_tiles_to_promote are added in float.
template <class Product, bool promoted, unsigned columns>
struct TileSums;

/// In the accumulators.
template <class Product, unsigned columns>
struct TileSums<Product, false, columns> {
  float accumulators[columns / 2];

  /// Sums `k_tiles`, one or more. `wait()` waits for the next k-tile and returns a StagedTile, `release(stage)` is
  /// called for one that has been read, and `meanwhile(step)` while a k-tile's instructions are in flight.
  template <class Wait, class Release, class Meanwhile>
  __device__ void add(unsigned k_tiles, const Wait& wait, const Release& release, const Meanwhile& meanwhile) {
    unsigned previous = 0;
    for (unsigned step = 0; step < k_tiles; ++step) {
      const StagedTile tile = wait();
      Product::multiply(accumulators, tile.a, tile.b, step > 0);
      wgmma_wait_group<1>();  // the previous k-tile's instructions have read their stage
      if (step > 0) release(previous);
      previous = tile.stage;
      meanwhile(step);
    }
    wgmma_wait_group<0>();
    wgmma_fence_operands(accumulators);
    release(previous);
  }
  __device__ float (&sums())[columns / 2] { return accumulators; }
};

/// Two sets of accumulators take turns: a partial sum is added while the next one's instructions are in flight. With a
/// single set each addition would wait for all instructions, and the next ones for the addition: a fifth of the time.
template <class Product, unsigned columns>
struct TileSums<Product, true, columns> {
  static_assert(columns <= 128, "three sets of registers are needed");
  float partials[2][columns / 2], totals[columns / 2];

  /// The same, but calls `meanwhile` for the first k_tiles_to_promote steps alone: the sums of the tile before stand
  /// in `totals` until then, and later steps have no registers left for it.
  template <class Wait, class Release, class Meanwhile>
  __device__ void add(unsigned k_tiles, const Wait& wait, const Release& release, const Meanwhile& meanwhile) {
    unsigned step = 0, previous = 0;
    const auto accumulate = [&](float(&partial)[columns / 2], const auto& during_step) {
      const unsigned first = step, end = std::min(first + k_tiles_to_promote, k_tiles);
      for (; step < end; ++step) {
        const StagedTile tile = wait();
        Product::multiply(partial, tile.a, tile.b, step > first);
        wgmma_wait_group<1>();
        if (step > 0) release(previous);
        previous = tile.stage;
        during_step(step == first);
      }
    };
    // Makes a partial sum, and adds the one before. False if that was the last.
    const auto another = [&](float(&partial)[columns / 2], float(&before)[columns / 2]) {
      if (step == k_tiles) {
        wgmma_wait_group<0>();
        release(previous);
        promote(before);
        return false;
      }
      accumulate(partial, [&](bool is_first) {
        if (is_first) promote(before);
      });
      return true;
    };
    accumulate(partials[0], [&](bool) { meanwhile(step); });
#pragma unroll
    for (float& total : totals) total = 0;
    while (another(partials[1], partials[0]) && another(partials[0], partials[1])) {
    }
  }
  __device__ float (&sums())[columns / 2] { return totals; }

 private:
  /// Adds a complete partial sum.
  __device__ void promote(float (&partial)[columns / 2]) {
    wgmma_fence_operands(partial);
#pragma unroll
    for (unsigned i = 0; i < columns / 2; ++i) totals[i] += partial[i];
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
