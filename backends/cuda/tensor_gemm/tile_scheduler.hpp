// Persistent tile scheduler: which output tiles, and with split-K which shares of k, a resident cluster takes in turn.
#pragma once

#include "backends/cuda/device/raster.hpp"

namespace crosswarp::gpu {
namespace {

/// A tile of C and the k-tiles to multiply for it.
struct WorkTile {
  TileCoord tile;
  unsigned split, first_k_tile, k_tiles;
};

struct TileScheduler {
  Raster raster;
  unsigned k_tiles;
  unsigned splits;             ///< Of k: 1 without split-K.
  unsigned k_tiles_per_split;  ///< The last split may have fewer, but one.

  __host__ __device__ unsigned count() const { return raster.count() * splits; }
  __device__ WorkTile work_tile(unsigned index) const {
    const unsigned split = index / raster.count(), first = split * k_tiles_per_split;
    return {raster.tile(index % raster.count()), split, first, std::min(k_tiles_per_split, k_tiles - first)};
  }
};

}  // namespace
}  // namespace crosswarp::gpu
