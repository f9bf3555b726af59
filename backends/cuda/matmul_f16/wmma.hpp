// WMMA fragments (nvcuda::wmma) of 16-bit operands, accumulators of float. For files that need "wmma".
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"

#if CROSSWARP_HAS_WMMA
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace crosswarp::gpu {
namespace {

/// m, n and k of a fragment.
constexpr unsigned side = 16;

template <bool bf16>
using WmmaElement = std::conditional_t<bf16, __nv_bfloat16, __half>;

template <bool bf16>
using FragmentA =
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, side, side, side, WmmaElement<bf16>, nvcuda::wmma::row_major>;
template <bool bf16, bool b_transposed>
using FragmentB =
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, side, side, side, WmmaElement<bf16>,
                           std::conditional_t<b_transposed, nvcuda::wmma::col_major, nvcuda::wmma::row_major>>;
using Accumulator = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, side, side, side, float>;

/// `from` is a multiple of 32 bytes; rows are `pitch` elements apart, a multiple of eight.
template <bool bf16, class Fragment>
__device__ void load_fragment(Fragment& fragment, const std::uint16_t* from, unsigned pitch) {
  nvcuda::wmma::load_matrix_sync(fragment, reinterpret_cast<const WmmaElement<bf16>*>(from), pitch);
}

/// Stores a fragment by way of `shared`, 16 x 16 floats for each warp: its layout in registers is unspecified.
__device__ inline void store_accumulator(const Output& c, unsigned row, unsigned column, const Accumulator& accumulator,
                                         float* shared) {
  nvcuda::wmma::store_matrix_sync(shared, accumulator, side, nvcuda::wmma::mem_row_major);
  sync_warp();
  for (unsigned i = threadIdx.x % warp_size(); i < side * side; i += warp_size())
    c.store(row + i / side, column + i % side, shared[i]);
  sync_warp();
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
