// The epilogue of swapped operands for a C of floats. The eight lanes that hold neighbouring rows of Cᵀ store eight
// neighbouring floats of a row of C, which is a sector of L2 where n is a multiple of 8: so sums need not be transposed
// in shared memory, and are stored at once. For files that need "ptx".
#pragma once

#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"

#if CROSSWARP_HAS_PTX && CROSSWARP_TARGET_HAS_WGMMA

namespace crosswarp::gpu {
namespace {

/// As SwappedEpilogue, for a C of floats. Nothing is kept.
template <unsigned columns>
struct SwappedFloatsEpilogue {
  /// Reserved, so that tiles are the same; unused.
  static constexpr unsigned warp_bytes = 16 * row_bytes, staging_bytes = 2 * warp_bytes;

  const Output& out;

  __device__ SwappedFloatsEpilogue(const CUtensorMap&, const Output& out, bool, unsigned) : out(out) {}

  /// The warp's rows of the finished tile of Cᵀ begin at `first_row`.
  template <class Sum>
  __device__ void take(unsigned first_row, unsigned first_column, const Sum& sum) const {
    const unsigned lane = threadIdx.x % warp_size(), column = first_row + lane / 4;
    unsigned row = first_column + lane % 4 * 2;
#pragma unroll
    for (unsigned j = 0; j < columns / 8; ++j) {
      float* const to = static_cast<float*>(out.data) + std::size_t{row} * out.columns + column;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)  // of 2 x 2: a row and eight columns apart
        if (row + i % 2 < out.rows && column + i / 2 * 8 < out.columns)
          to[std::size_t{i % 2} * out.columns + i / 2 * 8] = sum(4 * j + i);
      row += 8;
      asm volatile("" : "+r"(row));  // else addresses are computed ahead, and many registers spill
    }
  }
  template <unsigned count, class Sum>
  __device__ void store_last(unsigned first_row, unsigned first_column, unsigned, unsigned, const Sum& sum) const {
    take(first_row, first_column, sum);
  }
  __device__ void skip() const {}
  template <class Sum>
  __device__ void store_panel(unsigned, const Sum&) const {}
  template <class Sum>
  __device__ void store_rest(unsigned, const Sum&) const {}
  __device__ void finish() const {}
};

/// `Product`, whose C is of floats.
template <class Product>
struct WithFloatsOut : Product {};

template <class Product, class Tile>
struct EpilogueOf<WithFloatsOut<Product>, false, Tile> {
  using Type = SwappedFloatsEpilogue<Tile::columns>;
};

}  // namespace
}  // namespace crosswarp::gpu

#endif
