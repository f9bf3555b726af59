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
  /// called for one that has been read, and `meanwhile(step, is_last)` while a k-tile's instructions are in flight:
  /// `is_last` in the last call.
  template <class Wait, class Release, class Meanwhile>
  __device__ void add(unsigned k_tiles, const Wait& wait, const Release& release, const Meanwhile& meanwhile) {
    unsigned previous = 0;
    for (unsigned step = 0; step < k_tiles; ++step) {
      const StagedTile tile = wait();
      Product::multiply(accumulators, tile.a, tile.b, step > 0);
      wgmma_wait_group<1>();  // the previous k-tile's instructions have read their stage
      if (step > 0) release(previous);
      previous = tile.stage;
      meanwhile(step, step + 1 == k_tiles);
    }
    wgmma_wait_group<0>();
    wgmma_fence_operands(accumulators);
    release(previous);
  }
  __device__ float (&sums())[columns / 2] { return accumulators; }
};

/// Promoted. While an addition waits for its partial sum, other instructions must be in flight. Of tiles of up to 128
/// columns there are two partial sums, which take turns. Wider ones have no registers for that, and a second warpgroup
/// multiplies meanwhile: odd ones begin with a shorter partial sum, so that both do not add at once.
template <class Product, unsigned columns>
struct TileSums<Product, true, columns> {
  static_assert(columns <= 192, "partial sums and totals need registers");
  static constexpr unsigned sets = columns <= 128 ? 2 : 1;
  float partials[sets][columns / 2], totals[columns / 2];

  /// The same, but calls `meanwhile` for the steps of the first partial sum alone: the sums of the tile before stand in
  /// `totals` until then, and later steps have no registers left for it.
  template <class Wait, class Release, class Meanwhile>
  __device__ void add(unsigned k_tiles, const Wait& wait, const Release& release, const Meanwhile& meanwhile) {
    unsigned step = 0, previous = 0;
    bool is_held = false;  // stage `previous`
    const auto accumulate = [&](float(&partial)[columns / 2], unsigned most, const auto& during_step) {
      const unsigned first = step, end = std::min(first + most, k_tiles);
      for (; step < end; ++step) {
        const StagedTile tile = wait();
        Product::multiply(partial, tile.a, tile.b, step > first);
        wgmma_wait_group<1>();
        if (is_held) release(previous);
        previous = tile.stage;
        is_held = true;
        during_step(step == first, step + 1 == end);
      }
    };
    const auto finish = [&](float(&partial)[columns / 2]) {
      wgmma_wait_group<0>();
      release(previous);
      is_held = false;
      promote(partial);
    };
    const bool begins_short = sets == 1 && warp_uniform(threadIdx.x / warpgroup_size) % 2 == 1;
    accumulate(partials[0], k_tiles_to_promote / (begins_short ? 2 : 1),
               [&](bool, bool is_last) { meanwhile(step, is_last); });
#pragma unroll
    for (float& total : totals) total = 0;
    const auto another = [&](float(&partial)[columns / 2], float(&before)[columns / 2]) {
      if (sets == 1 || step == k_tiles) finish(before);
      if (step == k_tiles) return false;
      accumulate(partial, +k_tiles_to_promote, [&](bool is_first, bool) {
        if (sets > 1 && is_first) promote(before);
      });
      return true;
    };
    while (another(partials[sets - 1], partials[0]) && another(partials[0], partials[sets - 1])) {
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
