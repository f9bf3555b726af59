// How fast a tile's kernel is expected to be, and the splits of k for it. Peak rates are the device's; latencies and
// shares of peaks are as fitted to 3,000 launches of an H100: 384 random products by every tile, and a few large ones
// at which a fit to fewer of these had chosen wrongly.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cuda/matmul_f32/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_tiles {

struct Speed {
  double efficiency;        ///< Share of peak multiply-adds with min_blocks resident on a multiprocessor …
  double efficiency_alone;  ///< … and with one.
  double wave_cycles;       ///< Of prologue and epilogue, without its stores.
};

struct TileModel {
  unsigned m, n, k, min_blocks;
  Speed aligned, unaligned;  ///< Unaligned: rows of B and C do not start on 16-byte boundaries.
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
        speed_(size.n % 4 == 0 ? tile.aligned : tile.unaligned),
        slowdown_(size.k % 4 == 0 ? 1 : slowdown_of_single_loads),
        l2_bytes_per_cycle_alone_(device.peak_per_cycle("l2", 64)),
        units_(device.compute_units),
        tiles_(std::ceil(static_cast<double>(size.n) / tile.n) * std::ceil(static_cast<double>(size.m) / tile.m)),
        k_tiles_(std::ceil(static_cast<double>(size.k) / tile.k)),
        k_tile_cycles_(2.0 * tile.m * tile.n * tile.k / device.peak_per_cycle("f32", 256)),
        wave_cycles_(speed_.wave_cycles +
                     sizeof(float) * tile.min_blocks * static_cast<double>(std::min<std::size_t>(tile.m, size.m)) *
                         static_cast<double>(std::min<std::size_t>(tile.n, size.n)) / stored_bytes_per_cycle),
        memory_bytes_per_cycle_(device.peak_per_cycle("memory", 18) * units_),
        l2_bytes_(0.5 * static_cast<double>(l2_size(device))),
        moved_(size.bytes() / memory_bytes_per_cycle_) {}

  double tiles() const { return tiles_; }

  /// The multiprocessor with the most blocks decides, which gets one more by PDL where the grid does not fill the
  /// device. Several splits take a second pass, with their partial sums written and read back.
  double split_k(std::size_t splits, std::size_t partial_bytes, bool pdl) const {
    const double all_blocks = tiles_ * static_cast<double>(splits), resident = tile_.min_blocks;
    double blocks = std::ceil(all_blocks / units_);
    if (pdl && all_blocks > 1 && blocks < resident) ++blocks;
    const double full_waves = std::floor(blocks / resident), left = blocks - full_waves * resident;
    const double work = slowdown_ * std::ceil(k_tiles_ / static_cast<double>(splits)) * k_tile_cycles_;
    const double partial = resident > 1 ? speed_.efficiency_alone + (speed_.efficiency - speed_.efficiency_alone) *
                                                                        (left - 1) / (resident - 1)
                                        : speed_.efficiency;
    double cycles = full_waves * (resident * work / speed_.efficiency + wave_cycles_);
    if (left > 0) cycles += left * work / partial + wave_cycles_ * std::max(left / resident, 0.5);
    if (splits > 1) {
      const auto bytes = static_cast<double>(partial_bytes);
      cycles +=
          second_pass + 2 * bytes / (bytes <= l2_bytes_ ? units_ * l2_bytes_per_cycle() : memory_bytes_per_cycle_);
    }
    return total(cycles) - (pdl ? pdl_cycles : 0);
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
  static constexpr double fixed = 4920, second_pass = 3220, fixup = 4630, exposed = 0.93;
  static constexpr double slowdown_of_single_loads = 1.06;  // where rows of A do not start on 16-byte boundaries
  static constexpr double stored_bytes_per_cycle = 19.9;    // of a wave's tiles of C

  double l2_bytes_per_cycle() const { return 0.27 * l2_bytes_per_cycle_alone_; }  // while all multiprocessors read

  /// What computes and what is moved; the shorter of the two is mostly not hidden.
  double total(double computed) const {
    return fixed + std::max(computed, moved_) + exposed * std::min(computed, moved_);
  }

  const TileModel& tile_;
  const Speed& speed_;
  double slowdown_;
  double l2_bytes_per_cycle_alone_;  // while few multiprocessors read
  double units_, tiles_, k_tiles_;
  double k_tile_cycles_;           // at peak
  double wave_cycles_;             // with stores of C
  double memory_bytes_per_cycle_;  // of all multiprocessors
  double l2_bytes_;                // that partial sums can be of and stay there
  double moved_;                   // operands and C from memory, cold
};

struct SplitPlan {
  std::size_t splits = 1;
  bool pdl = true;
  double cycles = std::numeric_limits<double>::infinity();
};

/// The splits of k, of at least four k-tiles each, and PDL of fewest expected cycles. `partial_bytes(splits)`: of their
/// partial sums, at most four times what L2 holds.
template <class PartialBytes>
SplitPlan best_splits(const TileModel& tile, const GemmSize& size, const DeviceInfo& device,
                      const PartialBytes& partial_bytes) {
  const TileCost cost(tile, size, device);
  const auto units = static_cast<std::size_t>(device.compute_units);
  const std::size_t most = std::max<std::size_t>(1, size.k / (4 * tile.k));
  SplitPlan best;
  // Splits that give each multiprocessor 0, 1, 2 … blocks.
  for (std::size_t blocks_per_unit = 0; blocks_per_unit <= 4 * tile.min_blocks; ++blocks_per_unit) {
    const std::size_t splits =
        std::clamp<std::size_t>(blocks_per_unit * units / static_cast<std::size_t>(cost.tiles()), 1, most);
    const std::size_t bytes = partial_bytes(splits);
    if (bytes > 4 * l2_size(device)) break;
    for (const bool pdl : {true, false})
      if (const double cycles = cost.split_k(splits, bytes, pdl); cycles < best.cycles) best = {splits, pdl, cycles};
  }
  return best;
}

}  // namespace matmul_f32_tiles
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
