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
    store_swapped_sums<columns>(out, first_column, first_row, sum);
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
