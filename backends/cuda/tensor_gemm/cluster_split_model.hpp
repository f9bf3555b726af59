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
  unsigned rows, columns;  ///< Of a tile.
  unsigned splits;         ///< Blocks of a cluster: 1, 2, 4 or 8.
  unsigned blocks;         ///< Of a multiprocessor: 1, or 2 of tiles of 64 x 64, with a shallow ring.

  std::size_t tiles(std::size_t m, std::size_t n) const {
    return std::size_t{blocks_for(m, rows)} * blocks_for(n, columns);
  }
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

/// In the order in which they win among equals.
constexpr ClusterSplitConfig cluster_split_configs[] = {
    {64, 64, 1, 1},  {64, 64, 2, 1},  {64, 64, 4, 1},  {64, 64, 8, 1},   // the deepest
    {64, 64, 1, 2},  {64, 64, 2, 2},  {64, 64, 4, 2},  {64, 64, 8, 2},   // two blocks of a multiprocessor
    {128, 64, 1, 1}, {128, 64, 2, 1}, {128, 64, 4, 1}, {128, 64, 8, 1},  // larger tiles
    {64, 128, 1, 1}, {64, 128, 2, 1}, {64, 128, 4, 1}, {64, 128, 8, 1}};

/// Expected cycles, fitted to products of 16 bits on an H200. Tiles of 64 x 64: 150 products by all configurations,
/// 1,100 times, 7 % off. Larger ones: 96 products, 450 times, 9 % off; the choice among all takes 1.3 % longer than the
/// fastest. Requires all clusters to be resident at once. A block's k-tiles take as long as its matrix units and ring,
/// or as its multiprocessor's blocks, two if it `is_shared`, receive bytes; all blocks' loads from L2 and memory are as
/// a second side beside them. Rows that begin within L2's lines, or are shorter than a box, are more requests.
inline double expected_cycles(const DeviceInfo& device, const Operands& operands, std::size_t tiles,
                              const ClusterSplitConfig& config, bool is_shared) {
  constexpr double fixed = 4520, of_larger_tile = 1700, of_second_block = 1880;
  constexpr double of_exchange = 750, of_larger_exchange = 1800;
  constexpr double of_k_tile[] = {270, 380}, of_shallow_ring = 1.12;  // by blocks; of loads
  constexpr double of_l2_alone = 1.25, of_l2 = 0.68, within_lines = 1.52, of_short_rows = 0.8;
  constexpr double level = 0.95;  // beside the costs of `persistent`, which takes longer than they say
  const double units = std::max(1, device.compute_units), l2 = device.peak_per_cycle("l2", 64);

  const auto& [a, b] = operands;
  const unsigned k_tiles = blocks_for(a.columns, tile_k);
  const bool is_larger = config.rows > 64 || config.columns > 64;
  const auto box = [](const Operand& operand, unsigned side) {
    return std::min<double>(side, (operand.rows + 7) / 8 * 8);
  };
  const double requests_of_b = 1 + of_short_rows * std::max(0.0, 1.0 * row_elements / b.pitch - 1);
  const bool whole_lines = a.pitch % row_elements == 0 && b.pitch % row_elements == 0;
  const double loaded = (whole_lines ? 1 : within_lines) * row_bytes *
                        (box(a, config.rows) + requests_of_b * box(b, config.columns));  // of a k-tile
  const double in_blocks =
      blocks_for(k_tiles, config.splits) *
          std::max(of_k_tile[config.blocks - 1], (is_shared ? 2 : 1) * loaded / (of_l2_alone * l2)) +
      (is_shared ? of_second_block : 0);
  const double bytes = 2.0 * a.rows * a.columns + 2.0 * b.rows * b.columns;
  const double moved = (config.blocks > 1 || is_larger ? of_shallow_ring : 1) *
                       std::max(bytes / (device.peak_per_cycle("memory", 18) * units),
                                static_cast<double>(tiles) * k_tiles * loaded / (of_l2 * l2 * units));
  const double exchanged = config.splits == 1 ? 0 : is_larger ? of_larger_exchange : of_exchange;
  return level * (fixed + (is_larger ? of_larger_tile : 0) + exchanged + std::hypot(in_blocks, moved));
}

/// For a C of m x n those configurations that multiply all tiles at once, by expected cycles. `resident(config)`:
/// clusters that the device holds at once.
template <class Resident>
std::vector<ClusterSplitChoice> cluster_split_choices(const DeviceInfo& device, std::size_t m, std::size_t n,
                                                      const Operands& operands, const Resident& resident) {
  std::vector<ClusterSplitChoice> choices;
  if (m == 0 || n == 0 || operands.a.columns == 0) return choices;
  for (const ClusterSplitConfig& config : cluster_split_configs) {
    const std::size_t tiles = config.tiles(m, n);
    if (config.splits > blocks_for(operands.a.columns, tile_k) || tiles > resident(config)) continue;
    ClusterSplitConfig alone = config;
    alone.blocks = 1;
    choices.push_back({config, expected_cycles(device, operands, tiles, config, tiles > resident(alone))});
  }
  std::ranges::stable_sort(choices, {}, &ClusterSplitChoice::cycles);
  return choices;
}

/// Choices that dispatchers consider: the costs of the next are alike, and other kernels need their places.
constexpr std::size_t most_cluster_split_choices = 3;

/// That of the tuning that the queue has: zeros stand for the first that `choices_of()` returns, or, if there are none,
/// for a tile that wastes little.
template <class ChoicesOf>
ClusterSplitConfig tuned_split(const Queue& queue, const ChoicesOf& choices_of) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(queue.tuning[name]); };
  if (number("rows") > 0) return {number("rows"), number("columns"), number("splits"), number("blocks")};
  const std::vector<ClusterSplitChoice> choices = choices_of();
  return choices.empty() ? cluster_split_configs[0] : choices.front().config;
}
/// As tuned_split() reads them, that by costs first; launches overlap (PDL).
inline std::vector<Tuning> cluster_split_tunings() {
  std::vector<Tuning> tunings;
  const auto add = [&](const ClusterSplitConfig& config) {
    tunings.push_back({{{"rows", static_cast<int>(config.rows)},
                        {"columns", static_cast<int>(config.columns)},
                        {"splits", static_cast<int>(config.splits)},
                        {"blocks", static_cast<int>(config.blocks)},
                        {"pdl", 1}}});
  };
  add({});
  for (const ClusterSplitConfig& config : cluster_split_configs) add(config);
  return tunings;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
