// The matrix instructions of a warp from Ampere on, and what feeds them: copies to shared memory that take no
// registers, in rows of 128 bytes that are swizzled as Hopper's tensor copies do it. For files that need "ptx".
#pragma once

#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/ptx.hpp"
#include "backends/cuda/matmul_f16/product.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Elements and bytes of a row of a tile in shared memory.
constexpr unsigned row_elements = 64, row_bytes = 2 * row_elements;

/// Where 16-byte piece `piece` of row `row` lies in a tile. Eight rows of a piece, or eight pieces of a row, are in
/// different banks.
__device__ constexpr unsigned swizzled(unsigned row, unsigned piece) {
  return row * row_bytes + (piece ^ row % 8) * 16;
}

/// What Hopper's tensor copies and matrix instructions want tiles to be aligned to, for their swizzle is one of
/// addresses.
constexpr unsigned tile_alignment = 8 * row_bytes;

/// The dynamic shared memory of the block, so aligned.
__device__ inline std::byte* aligned_dynamic_shared() {
  extern __shared__ __align__(tile_alignment) std::byte crosswarp_aligned_shared[];
  return crosswarp_aligned_shared;
}

__device__ inline void store_shared(unsigned to, const SumPair<float>& value) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(value.first), "f"(value.second) : "memory");
}
__device__ inline void store_shared(unsigned to, const uint4& value) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

/// Brings `rows` rows of 64 elements, from (`row`, `column`) on, to `to_shared`, by a block of `threads`: at once where
/// the factor's rows are not aligned, else by copies that the caller closes and waits for. Zeros outside.
template <unsigned rows, unsigned threads>
__device__ void fetch_tile(unsigned to_shared, const Factor& from, unsigned row, unsigned column) {
  static_assert(rows * 8 % threads == 0);
#pragma unroll
  for (unsigned turn = 0; turn < rows * 8 / threads; ++turn) {
    const unsigned i = turn * threads + threadIdx.x, piece = i % 8;
    const unsigned r = row + i / 8, c = column + 8 * piece;
    const unsigned to = to_shared + swizzled(i / 8, piece);
    if (from.is_aligned()) {
      const bool there = r < from.rows && c < from.columns;
      cp_async<16>(to, there ? from.at + std::size_t{r} * from.columns + c : from.at, there);
    } else {
      store_shared(to, from.piece(r, c));
    }
  }
}

/// Brings the parts of A and B that a tile of C needs for 64 products a sum: those of A as `rows` rows; those of B as
/// `columns` rows where it is transposed, else as panels of 64 columns, each of 64 rows. All rows have 128 bytes.
template <unsigned rows, unsigned columns, bool b_transposed, unsigned threads>
__device__ void fetch_tiles(unsigned to_a, unsigned to_b, const Factor& a, const Factor& b, unsigned row,
                            unsigned column, unsigned depth) {
  fetch_tile<rows, threads>(to_a, a, row, depth);
  if constexpr (b_transposed)
    fetch_tile<columns, threads>(to_b, b, column, depth);
  else
#pragma unroll
    for (unsigned panel = 0; panel < columns / row_elements; ++panel)
      fetch_tile<row_elements, threads>(to_b + panel * row_elements * row_bytes, b, depth,
                                        column + panel * row_elements);
}

/// Loads four 8 x 8 matrices whose rows have 16 bytes: lane l names row l % 8 of matrix l / 8. It gets of each the two
/// elements at 2·(l % 4) of row l / 4; or, transposed, of column l / 4.
template <bool transposed>
__device__ void load_matrices(std::uint32_t (&to)[4], unsigned from) {
  if constexpr (transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/// The other way: lane l gives of each of four matrices the two elements at 2·(l % 4) of row l / 4.
__device__ inline void store_matrices([[maybe_unused]] unsigned to, [[maybe_unused]] const std::uint32_t* from) {
  CROSSWARP_SM90_ASM("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(from[0]),
                     "r"(from[1]), "r"(from[2]), "r"(from[3])
                     : "memory");
}

/// sums += a·b, of 16 x 16 and 16 x 8 elements.
template <bool bf16>
__device__ void multiply_add(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  if constexpr (bf16)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
