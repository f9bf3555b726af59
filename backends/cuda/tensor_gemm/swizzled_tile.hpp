// k-tiles of the operands in shared memory: rows of 128 bytes in TMA's 128-byte swizzle, as ldmatrix and wgmma read
// them without bank conflicts. Loads by cp.async, for operands of any alignment. For files that need "ptx".
#pragma once

#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/mma.hpp"
#include "backends/cuda/tensor_gemm/operands.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Elements of 16 bits along k of a k-tile; also elements and bytes of a row in shared memory, whichever way the row
/// runs. Other types are taken as words of 16 bits: pairs of 8-bit elements, halves of floats.
constexpr unsigned tile_k = 64, row_elements = 64, row_bytes = 2 * row_elements;

/// The offset of 16-byte chunk `chunk` of row `row`. The same chunk of eight rows, and eight chunks of a row, are in
/// different banks.
__device__ constexpr unsigned swizzled(unsigned row, unsigned chunk) {
  return row * row_bytes + (chunk ^ row % 8) * 16;
}

/// The swizzle is a function of the address: TMA and wgmma take tiles at multiples of this.
constexpr unsigned swizzle_alignment = 8 * row_bytes;

/// The block's dynamic shared memory, so aligned.
__device__ inline std::byte* swizzle_aligned_shared() {
  extern __shared__ __align__(swizzle_alignment) std::byte crosswarp_aligned_shared[];
  return crosswarp_aligned_shared;
}

/// Broadcasts a warp-uniform value, so that the compiler keeps it, and what follows from it, in uniform registers: a
/// quarter of matmul_f16/wgmma_tma's instructions.
__device__ inline unsigned warp_uniform(unsigned value) { return shuffle(value, 0); }

/// A ring of k-tiles in shared memory: every stage's rows of A, then every stage's rows of B.
template <unsigned rows, unsigned columns, unsigned stages>
struct OperandRing {
  static constexpr unsigned a_bytes = rows * row_bytes, b_bytes = columns * row_bytes;
  static constexpr unsigned stage_bytes = a_bytes + b_bytes, bytes = stages * stage_bytes;

  unsigned first_a, first_b;  ///< Shared addresses.

  __device__ explicit OperandRing(unsigned at) : first_a(at), first_b(at + stages * a_bytes) {}
  __device__ unsigned a(unsigned stage) const { return first_a + stage * a_bytes; }
  __device__ unsigned b(unsigned stage) const { return first_b + stage * b_bytes; }
};

template <class Word>
__device__ Word load_shared(unsigned from) {
  Word word;
  if constexpr (sizeof(Word) == 2)
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(word) : "r"(from) : "memory");
  else
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
  return word;
}
__device__ inline void store_shared(unsigned to, const Pair<float>& value) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(value.first), "f"(value.second) : "memory");
}
__device__ inline void store_shared(unsigned to, const uint4& value) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

/// Loads `rows` rows of 64 elements, from (`row`, `column`) on, by a block of `threads`; zeros outside. By cp.async:
/// the caller commits and waits. Where the operand's rows are not aligned, by plain loads and stores.
template <unsigned rows, unsigned threads>
__device__ void load_tile(unsigned to_shared, const Operand& from, unsigned row, unsigned column) {
  static_assert(rows * 8 % threads == 0);
#pragma unroll
  for (unsigned j = 0; j < rows * 8 / threads; ++j) {
    const unsigned i = j * threads + threadIdx.x, chunk = i % 8;
    const unsigned r = row + i / 8, c = column + 8 * chunk;
    const unsigned to = to_shared + swizzled(i / 8, chunk);
    if (from.is_aligned()) {
      const bool is_inside = r < from.rows && c < from.columns;
      cp_async<16>(to, is_inside ? from.data + std::size_t{r} * from.pitch + c : from.data, is_inside);
    } else {
      store_shared(to, from.chunk(r, c));
    }
  }
}

/// Loads the k-tile at `k` of an output tile's operands. A: `rows` rows along k. B: `columns` rows along k if
/// transposed, else panels of 64 columns, each of 64 rows.
template <unsigned rows, unsigned columns, bool b_transposed, unsigned threads>
__device__ void load_k_tile(unsigned to_a, unsigned to_b, const Operand& a, const Operand& b, unsigned row,
                            unsigned column, unsigned k) {
  load_tile<rows, threads>(to_a, a, row, k);
  if constexpr (b_transposed)
    load_tile<columns, threads>(to_b, b, column, k);
  else
#pragma unroll
    for (unsigned panel = 0; panel < columns / row_elements; ++panel)
      load_tile<tile_k, threads>(to_b + panel * tile_k * row_bytes, b, k, column + panel * row_elements);
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
