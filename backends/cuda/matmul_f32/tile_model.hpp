// How fast a tile's kernel is expected to be, and the splits of k for it. Peak rates are the device's; latencies and
// shares of peaks are as fitted to 38,000 launches of an H100: random products and large squares, 963 together, by up
// to some dozen splits each; those of clusters to 18,000 at 330 products. What counts is that the fastest is chosen;
// expected cycles are 15 to 17 % off (root mean square).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/split_k.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_tiles {

struct Speed {
  double efficiency;        ///< Share of peak multiply-adds with min_blocks resident on a multiprocessor …
  double efficiency_alone;  ///< … and with one.
  double wave_cycles;       ///< Of prologue and epilogue, without its stores.
};

/// Whether cp_async_floats() returns before its copy has arrived.
constexpr bool has_async_copies = CROSSWARP_HAS_PTX;

/// Where copies to shared memory are not asynchronous: slowdown of multiply-adds.
struct SynchronousCopies {
  double issue;  ///< By instructions of loads and stores.
  double wait;   ///< Of a lone block, by waiting for loads; resident blocks overlap.
};

/// What a mainloop hides of memory, and what it costs beside its multiply-adds.
struct Mainloop {
  double fixed;                     ///< Cycles of a launch.
  double exposed;                   ///< Share of the shorter of computing and moving that is not hidden.
  double stored_bytes_per_cycle;    ///< Of a wave's tiles of C.
  double slowdown_of_single_loads;  ///< Where rows of A do not start on 16-byte boundaries.
  SynchronousCopies synchronous;

  /// Of multiply-adds.
  double slowdown(std::size_t k, unsigned resident_blocks) const {
    return (k % 4 == 0 ? 1 : slowdown_of_single_loads) *
           (has_async_copies ? 1 : synchronous.issue + synchronous.wait / resident_blocks);
  }
};
/// `synchronous` is fitted to 2048^3 as HIP on an H100, which takes 1.20, 1.12 and 1.06 of CUDA's time with one, two
/// and four resident blocks of two_stages, 1.32 and 1.12 with one and four of multistage.
constexpr Mainloop two_stages{4920, 0.93, 19.9, 1.06, {1.03, 0.18}}, multistage{6290, 0.255, 11.8, 1, {1.05, 0.3}};

struct TileModel {
  unsigned m, n, k, min_blocks;
  const Mainloop& mainloop;
  Speed aligned, unaligned;        ///< Unaligned: rows of B and C do not start on 16-byte boundaries.
  double last_split_slowdown = 1;  ///< Of the kernel that splits the last tiles alone.
};

struct GemmSize {
  std::size_t m, n, k;

  double bytes() const { return sizeof(float) * (1.0 * m * k + 1.0 * k * n + 1.0 * m * n); }
};

/// That of an H200 where it is not known.
inline std::size_t l2_size(const DeviceInfo& device) { return device.cache > 0 ? device.cache : std::size_t{60} << 20; }

/// Expected cycles of a multiprocessor, launch included.
class TileCost {
 public:
  TileCost(const TileModel& tile, const GemmSize& size, const DeviceInfo& device)
      : tile_(tile),
        size_(size),
        speed_(size.n % 4 == 0 ? tile.aligned : tile.unaligned),
        slowdown_(tile.mainloop.slowdown(size.k, tile.min_blocks)),
        l2_bytes_per_cycle_alone_(device.peak_per_cycle("l2", 64)),
        units_(device.compute_units),
        tiles_(std::ceil(static_cast<double>(size.n) / tile.n) * std::ceil(static_cast<double>(size.m) / tile.m)),
        k_tiles_(std::ceil(static_cast<double>(size.k) / tile.k)),
        k_tile_cycles_(2.0 * tile.m * tile.n * tile.k / device.peak_per_cycle("f32", 256)),
        wave_bytes_(sizeof(float) * tile.min_blocks * static_cast<double>(std::min<std::size_t>(tile.m, size.m)) *
                    static_cast<double>(std::min<std::size_t>(tile.n, size.n))),
        wave_cycles_(speed_.wave_cycles + wave_bytes_ / tile.mainloop.stored_bytes_per_cycle),
        memory_bytes_per_cycle_(device.peak_per_cycle("memory", 18) * units_),
        l2_bytes_(0.5 * static_cast<double>(l2_size(device))),
        moved_(size.bytes() / memory_bytes_per_cycle_) {}

  double tiles() const { return tiles_; }

  /// Of the workspace.
  double partial_bytes(const Splits& splits) const {
    return static_cast<double>(split_k_bytes(size_.m, size_.n, tile_.m, tile_.n, splits));
  }

  /// Whole tiles beside split ones fill waves of their own. Several splits take a second pass, with their partial sums
  /// written and read back.
  double split_k(const Splits& splits) const {
    const double shares = (tiles_ - splits.whole) * splits.count, k_tiles_of_share = std::ceil(k_tiles_ / splits.count);
    double cycles =
        blocks_cycles(splits.whole, k_tiles_, false) + blocks_cycles(shares, k_tiles_of_share, splits.whole > 0);
    if (const double bytes = partial_bytes(splits); bytes > 0)
      cycles +=
          second_pass + 2 * bytes / (bytes <= l2_bytes_ ? units_ * l2_bytes_per_cycle() : memory_bytes_per_cycle_);
    return (splits.whole > 0 ? tile_.last_split_slowdown : 1) * total(cycles) - pdl_cycles;
  }

  /// The splits of a tile are blocks of a cluster, of which the device has room for `active`: those that are left for a
  /// last wave do not spread evenly. No partial sums go to memory.
  double clusters(unsigned splits, unsigned active, bool pdl) const {
    constexpr double fixed = 1000, uneven = 1.06, added_bytes_per_cycle = 15;
    const double full_waves = std::floor(tiles_ / active), left = tiles_ - full_waves * active;
    double blocks = std::ceil(uneven * left * splits / units_);
    if (pdl && blocks > 0) ++blocks;
    return fixed +
           total(waves_cycles(full_waves, std::min<double>(blocks, tile_.min_blocks), std::ceil(k_tiles_ / splits),
                              speed_.wave_cycles + wave_bytes_ / added_bytes_per_cycle)) -
           (pdl ? pdl_cycles : 0);
  }

  /// All multiprocessors have equal shares. Each share's partial sums go to L2; one block reads all of a tile's.
  double stream_k() const {
    const double blocks = std::min(units_ * tile_.min_blocks, tiles_ * k_tiles_), waves = tiles_ / blocks;
    const double tile_bytes = sizeof(float) * tile_.m * tile_.n, shares_per_tile = 1 + std::ceil(1 / waves);
    return total(waves * k_tiles_ * tile_.min_blocks * slowdown_ * k_tile_cycles_ / speed_.efficiency +
                 std::max(1.0, waves) * wave_cycles_ + fixup + tile_.min_blocks * tile_bytes / l2_bytes_per_cycle() +
                 shares_per_tile * tile_bytes / l2_bytes_per_cycle_alone_) -
           pdl_cycles;
  }

 private:
  /// Of `all_blocks`, each with `k_tiles`. The multiprocessor with the most blocks decides. Behind other blocks they
  /// start unevenly, and it gets one more where they do not fill the device.
  double blocks_cycles(double all_blocks, double k_tiles, bool behind_others) const {
    const double resident = tile_.min_blocks;
    double blocks = std::ceil(all_blocks / units_);
    if (behind_others && all_blocks > 1 && blocks < resident) ++blocks;
    const double full_waves = std::floor(blocks / resident);
    return waves_cycles(full_waves, blocks - full_waves * resident, k_tiles, wave_cycles_);
  }

  /// Of a multiprocessor with full waves and `left` blocks after them, `wave_cycles` each beside the multiply-adds.
  double waves_cycles(double full_waves, double left, double k_tiles, double wave_cycles) const {
    const double resident = tile_.min_blocks, work = slowdown_ * k_tiles * k_tile_cycles_;
    const double partial = resident > 1 ? speed_.efficiency_alone + (speed_.efficiency - speed_.efficiency_alone) *
                                                                        (left - 1) / (resident - 1)
                                        : speed_.efficiency;
    double cycles = full_waves * (resident * work / speed_.efficiency + wave_cycles);
    if (left > 0) cycles += left * work / partial + wave_cycles * std::max(left / resident, 0.5);
    return cycles;
  }

  static constexpr double second_pass = 2360, fixup = 4560;

  double l2_bytes_per_cycle() const { return 0.482 * l2_bytes_per_cycle_alone_; }  // while all multiprocessors read

  /// What computes and what is moved; of the shorter of the two the mainloop hides a part.
  double total(double computed) const {
    return tile_.mainloop.fixed + std::max(computed, moved_) + tile_.mainloop.exposed * std::min(computed, moved_);
  }

  const TileModel& tile_;
  GemmSize size_;
  const Speed& speed_;
  double slowdown_;
  double l2_bytes_per_cycle_alone_;  // while few multiprocessors read
  double units_, tiles_, k_tiles_;
  double k_tile_cycles_;           // at peak
  double wave_bytes_;              // of C
  double wave_cycles_;             // with stores of C
  double memory_bytes_per_cycle_;  // of all multiprocessors
  double l2_bytes_;                // that partial sums can be of and stay there
  double moved_;                   // operands and C from memory, cold
};

struct SplitPlan {
  Splits splits;
  double cycles = std::numeric_limits<double>::infinity();
};

/// The splits of k, of at least four k-tiles each, of fewest expected cycles: of all tiles, or of those alone
/// that do not fill a wave. Partial sums are at most four times what L2 holds.
inline SplitPlan best_splits(const TileModel& tile, const GemmSize& size, const DeviceInfo& device) {
  const TileCost cost(tile, size, device);
  const auto units = static_cast<std::size_t>(device.compute_units), tiles = static_cast<std::size_t>(cost.tiles());
  const std::size_t most = std::max<std::size_t>(1, size.k / (4 * tile.k)), wave = units * tile.min_blocks;
  SplitPlan best;
  const auto consider = [&](const Splits& splits) {
    if (const double cycles = cost.split_k(splits); cycles < best.cycles) best = {splits, cycles};
  };
  const auto consider_splits = [&](std::size_t whole) {
    // Splits that give each multiprocessor 0, 1, 2 … blocks.
    std::size_t previous = 0;
    for (std::size_t blocks_per_unit = 0; blocks_per_unit <= 4 * tile.min_blocks; ++blocks_per_unit) {
      const std::size_t count = std::clamp<std::size_t>(blocks_per_unit * units / (tiles - whole), 1, most);
      if (count == std::exchange(previous, count)) continue;
      const Splits splits{static_cast<unsigned>(count), static_cast<unsigned>(whole)};
      if (cost.partial_bytes(splits) > 4.0 * static_cast<double>(l2_size(device))) break;
      if (count > 1 || whole == 0) consider(splits);
    }
  };
  consider_splits(0);
  if (const std::size_t whole = tiles / wave * wave; whole > 0 && whole < tiles) consider_splits(whole);
  return best;
}

struct ClusterPlan {
  unsigned splits = 1;
  bool pdl = true;  ///< Whether PDL pays.
  double cycles = std::numeric_limits<double>::infinity();
};

/// The splits of a cluster, of at least four k-tiles each, and PDL of fewest expected cycles. `active(splits)`:
/// clusters that the device has room for. Infinite cycles where k is too short to be split.
template <class Active>
ClusterPlan best_cluster(const TileModel& tile, const GemmSize& size, const DeviceInfo& device, unsigned max_splits,
                         Active active) {
  const TileCost cost(tile, size, device);
  ClusterPlan best;
  for (unsigned splits = 2; splits <= std::min<std::size_t>(max_splits, size.k / (4 * tile.k)); ++splits) {
    const unsigned clusters = active(splits);
    if (clusters == 0) continue;
    for (const bool pdl : {true, false})
      if (const double cycles = cost.clusters(splits, clusters, pdl); cycles < best.cycles)
        best = {splits, pdl, cycles};
  }
  return best;
}

}  // namespace matmul_f32_tiles
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
