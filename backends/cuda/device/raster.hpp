// Rasterization (threadblock swizzle): the order in which blocks take a GEMM's output tiles.
#pragma once

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// In units of tiles.
struct TileCoord {
  unsigned row, column;
};

/// Bands of `width` rows of tiles, each column by column: concurrent blocks share rows of A and columns of B in L2.
struct Raster {
  unsigned rows, columns;  ///< Tiles of C.
  unsigned width;

  __host__ __device__ unsigned count() const { return rows * columns; }
  __device__ TileCoord tile(unsigned index) const {
    const unsigned first_row = index / (width * columns) * width, in_band = index % (width * columns);
    const unsigned height = rows - first_row < width ? rows - first_row : width;
    return {first_row + in_band % height, in_band / height};
  }
};

}  // namespace
}  // namespace crosswarp::gpu
