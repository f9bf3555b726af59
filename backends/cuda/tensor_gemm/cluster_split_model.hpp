// Which configuration of split-K within clusters a cost model expects to be fastest. Peaks are the device's; shares of
// them and latencies are fitted.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

struct ClusterSplitConfig {
  unsigned splits;  ///< Blocks of a cluster: 1, 2, 4 or 8.
  unsigned blocks;  ///< Of a multiprocessor: 1, with a deep ring, or 2.
};

struct ClusterSplitChoice {
  ClusterSplitConfig config;
  double cycles;
};

}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Rows and columns of a tile, and its groups of eight columns, which the blocks of a cluster divide among them.
constexpr unsigned cluster_split_side = 64, cluster_split_groups = cluster_split_side / 8;

/// Those with the deeper ring first: they win among equals.
constexpr ClusterSplitConfig cluster_split_configs[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {1, 2}, {2, 2}, {4, 2}, {8, 2}};

/// Expected cycles, fitted to 150 products of 16 bits by all configurations on an H200: 1,100 times, 7 % off; the
/// choice takes 1.2 % longer than the fastest, also of 8 bits, and 2 % of TF32. Requires all clusters to be resident at
/// once. A block's k-tiles take as long as its matrix units and ring, or as its multiprocessor's blocks, two if it
/// `is_shared`, receive bytes; all blocks' loads from L2 and memory are as a second side beside them. Rows that begin
/// within L2's lines, or are shorter than a box, are more requests.
inline double expected_cycles(const DeviceInfo& device, const Operands& operands, std::size_t tiles,
                              const ClusterSplitConfig& config, bool is_shared) {
  constexpr double fixed = 4520, of_second_block = 1880, of_exchange = 750;
  constexpr double of_k_tile[] = {270, 380}, of_shallow_ring = 1.12;  // by blocks; of loads
  constexpr double of_l2_alone = 1.25, of_l2 = 0.68, within_lines = 1.52, of_short_rows = 0.8;
  constexpr double level = 0.95;  // beside the costs of `persistent`, which takes longer than they say
  const double units = std::max(1, device.compute_units), l2 = device.peak_per_cycle("l2", 64);

  const auto& [a, b] = operands;
  const unsigned k_tiles = blocks_for(a.columns, tile_k);
  const auto box = [](const Operand& operand) {
    return std::min<double>(cluster_split_side, (operand.rows + 7) / 8 * 8);
  };
  const double requests_of_b = 1 + of_short_rows * std::max(0.0, 1.0 * row_elements / b.pitch - 1);
  const bool whole_lines = a.pitch % row_elements == 0 && b.pitch % row_elements == 0;
  const double loaded =
      (whole_lines ? 1 : within_lines) * row_bytes * (box(a) + requests_of_b * box(b));  // of a k-tile
  const double in_blocks =
      blocks_for(k_tiles, config.splits) *
          std::max(of_k_tile[config.blocks - 1], (is_shared ? 2 : 1) * loaded / (of_l2_alone * l2)) +
      (is_shared ? of_second_block : 0);
  const double bytes = 2.0 * a.rows * a.columns + 2.0 * b.rows * b.columns;
  const double moved = (config.blocks > 1 ? of_shallow_ring : 1) *
                       std::max(bytes / (device.peak_per_cycle("memory", 18) * units),
                                static_cast<double>(tiles) * k_tiles * loaded / (of_l2 * l2 * units));
  return level * (fixed + (config.splits > 1 ? of_exchange : 0) + std::hypot(in_blocks, moved));
}

/// For a C of m x n those configurations that multiply all tiles at once, by expected cycles. `resident(config)`:
/// clusters that the device holds at once.
template <class Resident>
std::vector<ClusterSplitChoice> cluster_split_choices(const DeviceInfo& device, std::size_t m, std::size_t n,
                                                      const Operands& operands, const Resident& resident) {
  const std::size_t tiles = std::size_t{blocks_for(m, cluster_split_side)} * blocks_for(n, cluster_split_side);
  std::vector<ClusterSplitChoice> choices;
  if (m == 0 || n == 0 || operands.a.columns == 0) return choices;
  for (const ClusterSplitConfig& config : cluster_split_configs) {
    if (config.splits > blocks_for(operands.a.columns, tile_k) || tiles > resident(config)) continue;
    const bool is_shared = tiles > resident({config.splits, 1});
    choices.push_back({config, expected_cycles(device, operands, tiles, config, is_shared)});
  }
  std::ranges::stable_sort(choices, {}, &ClusterSplitChoice::cycles);
  return choices;
}

/// That of the tuning that the queue has.
inline ClusterSplitConfig tuned_split(const Queue& queue) {
  return {static_cast<unsigned>(queue.tuning["splits"]), static_cast<unsigned>(queue.tuning["blocks"])};
}
/// All of them, as tuned_split() reads them; launches overlap (PDL).
inline std::vector<Tuning> cluster_split_tunings() {
  std::vector<Tuning> tunings;
  for (const ClusterSplitConfig& config : cluster_split_configs)
    tunings.push_back(
        {{{"splits", static_cast<int>(config.splits)}, {"blocks", static_cast<int>(config.blocks)}, {"pdl", 1}}});
  return tunings;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
