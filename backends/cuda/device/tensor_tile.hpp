// The tile of 64 rows that a group of four warps keeps in registers, as NVIDIA's matrix instructions lay it out.
#pragma once

#include <cstdint>

#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

/// A pair of neighbouring sums.
template <class Sum>
struct alignas(2 * sizeof(Sum)) SumPair {
  Sum first, second;
};

/// Stores a warp's 16 rows of `columns` sums, row-major. Lane l has of each 8 columns those at 2·(l % 4) and behind it,
/// in rows l / 4 (sums 0 and 1) and l / 4 + 8 (sums 2 and 3): the layout of mma.m16n8 and wgmma (PTX ISA, "Matrix
/// fragments").
template <unsigned columns, class Sum>
__device__ void store_fragment(const Sum (&sums)[columns / 2], Sum* rows16) {
  const unsigned lane = threadIdx.x % warp_size(), row = lane / 4, column = lane % 4 * 2;
#pragma unroll
  for (unsigned j = 0; j < columns / 8; ++j)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h)
      *reinterpret_cast<SumPair<Sum>*>(rows16 + (row + 8 * h) * columns + 8 * j + column) = {sums[4 * j + 2 * h],
                                                                                             sums[4 * j + 2 * h + 1]};
}

}  // namespace
}  // namespace crosswarp::gpu
