// Expected cycles of a tile's kernel, by its splits of k. Peaks are the device's. Fitted to an H100, 2,725 launches of
// 93 products with even n and k, by all tiles, unsplit and split: 6 % off (root mean square); the configuration of
// fewest cycles takes 2.0 % longer than the fastest (geometric mean), the best of the first eight 0.3 %. Fitted
// elsewhere: what power takes and the share of L2 (large products of an H100), stores, and what odd n and k cost (an
// H200); and what three blocks of a multiprocessor hide of their stores where the ring holds all of k (an H200, k of
// 64: 64 x 64 takes 62 µs at 4096 x 4096, 73 by the costs of longer k).
#pragma once

#include <algorithm>
#include <cmath>

#include "backends/cuda/matmul_f64/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f64 {

/// C = A·B of doubles, of m x k and k x n elements.
struct GemmSize {
  std::size_t m, n, k;
};

/// Expected cycles, launch included. The multiprocessor with the most blocks decides; those that it holds at once share
/// its matrix units. What is computed and what is moved overlap in part; L2 bounds small tiles. Power takes some of the
/// clock from large products. Several splits take a second launch, which adds their partial sums from L2.
inline double expected_cycles(const TileModel& tile, const GemmSize& size, const Config& config,
                              const DeviceInfo& device) {
  constexpr double fixed = 2264, second_launch = 2558, exposed = 0.421;
  constexpr double stored_bytes = 28.1;  // of a multiprocessor, per cycle
  constexpr double share_of_l2 = 0.57, share_of_l2_for_sums = 0.324;
  constexpr double throttled = 0.2, half_throttled_at = 364e3;  // cycles
  const double m = static_cast<double>(size.m), n = static_cast<double>(size.n), k = static_cast<double>(size.k);
  const double units = std::max(1, device.compute_units), resident = tile.resident;
  const double multiply_adds = device.peak_per_cycle("tensor_f64", 256) / 2;
  const double l2 = device.peak_per_cycle("l2", 64) * units;

  const double slowdown = (size.k % 2 ? tile.slowdown_of_odd_k : 1) * (size.n % 2 ? tile.slowdown_of_odd_n : 1);
  const unsigned k_tiles = blocks_for(size.k, tile_k);
  const double stores =  // of a wave
      (k_tiles <= short_k_tiles ? tile.exposed_stores : 1) * sizeof(double) * resident *
      std::min<double>(tile.rows, m) * std::min<double>(tile.columns, n) / stored_bytes;
  double computed = 0, multiplied = 0;
  const auto add_blocks = [&](double all_blocks, double block_k_tiles) {
    const double work = block_k_tiles * tile_k * tile.rows * tile.columns / multiply_adds;  // of a block, at peak
    const double blocks = std::ceil(all_blocks / units);
    const double full_waves = std::floor(blocks / resident), left = blocks - full_waves * resident;
    computed += full_waves * (resident * work * slowdown / tile.efficiency + tile.wave_cycles + stores);
    if (left > 0) {
      const double efficiency =
          tile.efficiency_alone + (tile.efficiency - tile.efficiency_alone) * std::sqrt((left - 1) / (resident - 1));
      computed += left * work * slowdown / efficiency + tile.wave_cycles + stores * left / resident;
    }
    multiplied += blocks * work;
  };
  const double tiles = static_cast<double>(config.tiles(size.m, size.n));
  const double whole = config.splits == 1 ? tiles : config.whole;
  add_blocks(whole, k_tiles);
  add_blocks((tiles - whole) * config.splits, blocks_for(k_tiles, config.splits));
  computed += throttled * multiplied * multiplied / (multiplied + half_throttled_at);
  computed = std::max(computed, sizeof(double) * tiles * (tile.rows + tile.columns) * k / (share_of_l2 * l2));
  if (config.splits > 1)
    computed +=
        second_launch + 2 * static_cast<double>(config.workspace_bytes(size.m, size.n)) / (share_of_l2_for_sums * l2);
  const double moved = sizeof(double) * (m * k + k * n + m * n) / (device.peak_per_cycle("memory", 18) * units);
  return fixed + std::max(computed, moved) + exposed * std::min(computed, moved);
}

}  // namespace matmul_f64
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
