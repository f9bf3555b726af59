// Which configuration of a persistent GEMM a cost model expects to be fastest. Peaks are the device's; latencies are
// those of an H200, shares of L2's peak those of an H100.
#pragma once

#include <limits>
#include <span>

#include "backends/cuda/tensor_gemm/persistent_config.hpp"
#include "backends/cuda/tensor_gemm/swizzled_tile.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Of one multiprocessor, per cycle.
struct Rates {
  double shared_bytes;  ///< Into and out of shared memory.
  double tma_bytes;  ///< By TMA from L2, which fetches once what several request at once: more than its peak of reads.
  double l2_bytes;   ///< That threads read and write in L2.
  double memory_bytes;  ///< While all multiprocessors read.

  explicit Rates(const DeviceInfo& device)
      : shared_bytes(device.peak_per_cycle("shared", 128)),
        tma_bytes(1.6 * device.peak_per_cycle("l2", 36)),
        l2_bytes(0.58 * device.peak_per_cycle("l2", 36)),
        memory_bytes(device.peak_per_cycle("memory", 18)) {}
};

// Cycles from one k-tile, tile, launch to the next.
constexpr double k_tile_cycles = 100, tile_cycles = 300, launch_cycles = 2500;

/// Launch, first loads and last stores of an otherwise empty product.
constexpr double base_cycles = 4500;

/// Elements of C that warps of a multiprocessor store per cycle, row by row, where TMA cannot.
constexpr double elements_stored_by_warps = 6;

/// What is multiplied.
struct ProductWork {
  std::size_t m, n;
  Operands operands;          ///< In words of 16 bits along k.
  double operations_of_word;  ///< For each element of C: two for 16-bit elements, one for floats.
  double mma_operations;      ///< Of one multiprocessor, per cycle.
  bool is_f32_out;

  unsigned k_tiles() const { return blocks_for(operands.a.columns, tile_k); }
};

/// What 128 bytes of an operand's row take of L2: more where rows begin within lines.
inline double lines_per_row(const Operand& operand) { return operand.pitch % row_elements == 0 ? 1 : 1.5; }

/// Expected cycles. Shared memory bounds small tiles: TMA writes both operands of a k-tile there, and each warpgroup
/// reads its own rows of A and all of B. L2 bounds them where rows begin within lines; what is multicast counts once
/// for the cluster. Where rows of C are not aligned, warps store it. Split-K writes its partial sums as floats, after
/// the last k-tile, and adds them in a second launch.
inline double expected_cycles(const DeviceInfo& device, const ProductWork& work, const PersistentConfig& config,
                              unsigned resident) {
  const Rates rates(device);
  const double elements = 1.0 * config.rows * config.columns;
  const double multiplied = work.operations_of_word * tile_k * elements / work.mma_operations;
  const double shared = row_bytes * (2.0 * config.rows + (1 + config.rows / 64) * config.columns) / rates.shared_bytes;
  const double loaded = row_bytes *
                        (lines_per_row(work.operands.a) * config.rows / config.cluster.columns +
                         lines_per_row(work.operands.b) * config.columns / config.cluster.rows) /
                        rates.tma_bytes;
  const double k_tile = std::max({multiplied, shared, loaded}) + k_tile_cycles;
  const double k_tiles = blocks_for(work.k_tiles(), config.splits) * k_tile;
  const double element_bytes = work.is_f32_out ? 4 : 2;
  const bool by_tma = work.n * (work.is_f32_out ? 4 : 2) % 16 == 0;
  double tile = 12.0 * config.columns + tile_cycles;
  if (config.splits > 1)
    tile += k_tiles + (work.n % 2 == 0 ? 1 : 2) * sizeof(float) * elements / rates.l2_bytes;
  else
    tile += std::max(k_tiles, by_tma ? element_bytes * elements / rates.l2_bytes : elements / elements_stored_by_warps);
  const unsigned clusters = config.splits * blocks_for(work.m, config.rows * config.cluster.rows) *
                            blocks_for(work.n, config.columns * config.cluster.columns);
  const double units = device.compute_units;
  const auto bytes_of = [](const Operand& operand) { return 2.0 * operand.rows * operand.columns; };
  const double bytes_of_c = element_bytes * static_cast<double>(work.m) * static_cast<double>(work.n);
  const double moved =
      (bytes_of(work.operands.a) + bytes_of(work.operands.b) + bytes_of_c) / (rates.memory_bytes * units);
  const double add_partials = config.splits == 1
                                  ? 0
                                  : launch_cycles + 4.0 * static_cast<double>(config.workspace_bytes(work.m, work.n)) /
                                                        (rates.l2_bytes * units);
  const double all_tiles = blocks_for(clusters, resident) * tile;
  // The shorter of the two is not fully hidden.
  return base_cycles + std::max(all_tiles, moved) + std::min(all_tiles, moved) / 2 + add_partials;
}

struct BlockShape {
  unsigned rows, columns;
};

/// Candidates; the first wins where the model sees no difference. Measured on H200 in 16 bits: the widest tiles share
/// B, their larger operand, for less power (1 to 2 % faster from 2048 on, else within 0.5 %); others share A (5 %
/// faster at 1024, 1 % at 1536, 1 % slower up to 512). Where rows begin within lines, L2 is the bound, and blocks share
/// wherever C has several tiles: four of them, too, though less than all multiprocessors have room for clusters of
/// four.
inline std::span<const ClusterShape> clusters_for(const ProductWork& work, const BlockShape& tile) {
  static constexpr ClusterShape share_b[] = {{2, 1}, {1, 2}, {1, 1}}, share_a[] = {{1, 2}, {2, 1}, {1, 1}},
                                share_more[] = {{2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}};
  const bool whole_lines = lines_per_row(work.operands.a) == 1 && lines_per_row(work.operands.b) == 1;
  if (!whole_lines && (work.m > tile.rows || work.n > tile.columns)) return share_more;
  return tile.columns == 256 ? share_b : share_a;
}

struct PersistentChoice {
  PersistentConfig config{};
  double cycles = std::numeric_limits<double>::infinity();
};

/// The configuration of fewest expected cycles with one of the `tiles`; among equals the first. A split has
/// `least_k_tiles` or more. `resident(config)`: clusters that the device holds at once.
template <class Resident>
PersistentChoice cheapest(const Queue& queue, const ProductWork& work, std::span<const BlockShape> tiles,
                          unsigned least_k_tiles, const Resident& resident) {
  const unsigned k_tiles = work.k_tiles();
  PersistentChoice best;
  for (const BlockShape& tile : tiles)
    for (const ClusterShape cluster : clusters_for(work, tile)) {
      // C has a tile for every block of a cluster.
      if (cluster.rows > blocks_for(work.m, tile.rows) || cluster.columns > blocks_for(work.n, tile.columns)) continue;
      PersistentConfig config{
          .rows = tile.rows, .columns = tile.columns, .cluster = cluster, .raster = 16 / cluster.rows};
      const unsigned clusters = resident(config);
      if (clusters == 0) continue;
      for (unsigned splits = 1; splits == 1 || (splits <= 64 && k_tiles / splits >= least_k_tiles); ++splits) {
        config.splits = blocks_for(k_tiles, blocks_for(k_tiles, splits));  // none of them empty
        if (const double cycles = expected_cycles(queue.device, work, config, clusters); cycles < best.cycles)
          best = {config, cycles};
      }
    }
  return best;
}

inline bool has_persistent_gemm(const Queue& queue) {
  return queue.device.has("wgmma") && queue.device.has("tma") && queue.device.has("cluster");
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
