// Equal shares of all k-tiles, as in stream-K: a block's share runs through tiles of C wherever they begin and end, so
// that all blocks of a resident grid finish together. The last block of a tile adds its partial sums. Bound by what the
// blocks compute; with few k-tiles by the latency of L2.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "backends/cuda/device/last_block.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// K-tiles begin … end of a tile of C.
struct KRange {
  unsigned tile, begin, end;
};

/// The blocks that share a tile of C.
struct Sharers {
  unsigned first, count;
};

/// The k-tiles of all tiles of C as one sequence, cut into a share per block.
struct KShares {
  unsigned tiles, k_tiles;  ///< Tiles of C, and k-tiles of each; at least one.
  unsigned blocks;

  /// `resident` blocks; fewer where a share would be shorter than `min_share` k-tiles, and then whole tiles or parts of
  /// one. Products of blocks and k-tiles fit into 32 bits, which spares the kernel 64-bit divisions.
  KShares(unsigned tiles_, unsigned k_tiles_, unsigned min_share, unsigned resident)
      : tiles(tiles_),
        k_tiles(k_tiles_),
        blocks(static_cast<unsigned>(std::min<std::uint64_t>(
            std::clamp(std::numeric_limits<unsigned>::max() / (tiles_ * k_tiles_), 1u, std::max(1u, resident)),
            std::uint64_t{tiles_} * std::max(1u, k_tiles_ / min_share)))) {}

  /// The first k-tile of a block's share.
  __device__ unsigned first_of(unsigned block) const { return tiles * k_tiles * block / blocks; }
  /// The block of a k-tile.
  __device__ unsigned block_of(unsigned k_tile) const { return ((k_tile + 1) * blocks - 1) / (tiles * k_tiles); }

  /// From k-tile `at` on to the end of its tile of C, or to `stop`.
  __device__ KRange range(unsigned at, unsigned stop) const {
    const unsigned tile = at / k_tiles, begin = at % k_tiles;
    return {tile, begin, std::min(k_tiles, begin + stop - at)};
  }
  __device__ Sharers sharers(unsigned tile) const {
    const unsigned first = block_of(tile * k_tiles);
    return {first, block_of((tile + 1) * k_tiles - 1) - first + 1};
  }
};

/// Partial sums of shared tiles, in the workspace: a slot for each range of each tile. Block b's range of tile t has
/// slot b + t, since the next range is another block's or another tile's.
struct PartialSums {
  unsigned* finished;  ///< One per tile; 0 before and after every launch.
  float* sums;
  unsigned tile_floats;

  static std::size_t ticket_bytes(std::size_t tiles) { return (tiles * sizeof(unsigned) + 127) / 128 * 128; }

  /// For `grids` sets of tiles, each with its shares.
  static std::size_t bytes(const KShares& shares, unsigned grids, unsigned tile_floats) {
    if (shares.blocks == shares.tiles) return 0;
    const std::size_t slots = std::size_t{grids} * (shares.blocks + shares.tiles);
    return ticket_bytes(std::size_t{grids} * shares.tiles) + slots * tile_floats * sizeof(float);
  }
  /// `workspace` has bytes(), and was zeroed once.
  PartialSums(std::span<std::byte> workspace, const KShares& shares, unsigned grids, unsigned tile_floats_)
      : finished(reinterpret_cast<unsigned*>(workspace.data())),
        sums(reinterpret_cast<float*>(workspace.data() + ticket_bytes(std::size_t{grids} * shares.tiles))),
        tile_floats(tile_floats_) {}

  __device__ float* slot(unsigned index) const { return sums + std::size_t{index} * tile_floats; }
};

}  // namespace CROSSWARP_PLATFORM
namespace {

/// Calls store(i, sum) for each element i of a tile, with the sum of `count` slots, added in their order: results do
/// not depend on timing. For all threads of the tile's last block.
template <unsigned threads, class Store>
__device__ void add_slots(const float* slots, unsigned count, unsigned tile_floats, Store store) {
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < tile_floats; i += threads) {
    float sum = 0;
#pragma unroll 16  // loads in flight
    for (unsigned slot = 0; slot < count; ++slot) sum += load_coherent(slots + std::size_t{slot} * tile_floats + i);
    store(i, sum);
  }
}

}  // namespace
}  // namespace crosswarp::gpu
