// Tile scheduler: which output tiles, and with split-K which shares of k, resident clusters take in turn, or the blocks
// of a grid one each. The last tiles alone can be split, so that they occupy all multiprocessors.
#pragma once

#include "backends/cuda/device/raster.hpp"

namespace crosswarp::gpu {
namespace {

/// A tile of C and the k-tiles to multiply for it.
struct WorkTile {
  TileCoord tile;
  unsigned first_k_tile, k_tiles;
};

struct TileScheduler {
  Raster raster;
  unsigned k_tiles;
  unsigned whole;              ///< Tiles that are not split, the raster's first ones.
  unsigned splits;             ///< Of k, of the other tiles: 1 if there are none.
  unsigned k_tiles_per_split;  ///< The last split may have fewer, one at the least.

  __host__ __device__ unsigned split_tiles() const { return raster.count() - whole; }
  __host__ __device__ unsigned count() const { return whole + split_tiles() * splits; }
  __device__ bool is_split(unsigned index) const { return index >= whole; }
  __device__ WorkTile work_tile(unsigned index) const {
    if (!is_split(index)) return {raster.tile(index), 0, k_tiles};
    const unsigned share = index - whole, first = share / split_tiles() * k_tiles_per_split;
    return {raster.tile(whole + share % split_tiles()), first, std::min(k_tiles_per_split, k_tiles - first)};
  }
};

}  // namespace
}  // namespace crosswarp::gpu
