// Matrix instructions of AMD's CDNA 2 and 3 (MFMA) on 16-bit operands, accumulators of float. For files that need
// "mfma". Layouts of the registers: AMD Instinct MI300 Instruction Set Architecture, "Matrix Arithmetic Instructions",
// and AMD's matrix instruction calculator (v_mfma_f32_16x16x16_f16; that of bf16_1k is the same).
#pragma once

#include "backends/cuda/tensor_gemm/operands.hpp"

#if CROSSWARP_HAS_MFMA

#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
#define CROSSWARP_TARGET_MFMA 1
#else
#define CROSSWARP_TARGET_MFMA 0  // kernels are empty, since devices without the feature skip their variants
#endif

namespace crosswarp::gpu {
namespace {
namespace mfma {

constexpr unsigned side = 16;        ///< Rows of A and columns of B in an instruction.
constexpr unsigned fragment_k = 32;  ///< Of two instructions.

// Tiles of the rungs in shared memory: 128 x 128 of C, by 256 threads.
constexpr unsigned block = 256, tile_side = 128, tile_k = 32;

#if CROSSWARP_TARGET_MFMA
/// A warp's 16 x 16 floats. Lane l has column l % 16; its value v is of row 4·(l / 16) + v.
using Accumulator = float __attribute__((ext_vector_type(4)));

/// Eight elements as the compiler's own vector, which is trivially copyable; HIP's uint4 is not in every version.
using Chunk = std::uint32_t __attribute__((ext_vector_type(4)));
__device__ inline Chunk native(const uint4& v) { return {v.x, v.y, v.z, v.w}; }

/// sums += A·B for 16 rows, 16 columns and 32 of k. Lane l holds elements 8·(l / 16) to + 7 along k of A's row and B's
/// column l % 16. An instruction takes four elements of each quarter of the warp. Which these are does not matter as
/// long as A's and B's are the same: the first gets the lower four of each eight, so that operands are loads of 16
/// bytes.
template <bool bf16>
__device__ void multiply(Accumulator& sums, Chunk a, Chunk b) {
  using Four = std::conditional_t<bf16, short, _Float16> __attribute__((ext_vector_type(4)));
  const auto low = [](Chunk chunk) { return __builtin_bit_cast(Four, __builtin_shufflevector(chunk, chunk, 0, 1)); };
  const auto high = [](Chunk chunk) { return __builtin_bit_cast(Four, __builtin_shufflevector(chunk, chunk, 2, 3)); };
  if constexpr (bf16) {
    sums = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(low(a), low(b), sums, 0, 0, 0);
    sums = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(high(a), high(b), sums, 0, 0, 0);
  } else {
    sums = __builtin_amdgcn_mfma_f32_16x16x16f16(low(a), low(b), sums, 0, 0, 0);
    sums = __builtin_amdgcn_mfma_f32_16x16x16f16(high(a), high(b), sums, 0, 0, 0);
  }
}

__device__ __forceinline__ void store(const Output& c, unsigned row, unsigned column, const Accumulator& sums) {
  const unsigned lane = threadIdx.x % warp_size();
#pragma unroll
  for (unsigned v = 0; v < 4; ++v) c.store(row + 4 * (lane / side) + v, column + lane % side, sums[v]);
}

/// A thread's sixteen elements of a k-tile, on their way into shared memory: of 128 rows of A, or 128 columns of B,
/// which are lines here. `along_k`: elements of a line are neighbours in memory (A, and B in layout tn).
template <bool along_k>
class Share {
 public:
  /// The tile begins at `line` and `k`; zeros outside of the matrix.
  __device__ __forceinline__ void load(const Operand& from, unsigned line, unsigned k) {
#pragma unroll
    for (unsigned i = 0; i < 2; ++i)
      chunks_[i] = native(along_k ? from.chunk(line + chunk_line(i), k + chunk_k())
                                  : from.chunk(k + pair_k() + i, line + pair_line()));
  }

  /// `at(line, k)` is the place of an element in `tile`; eight of a line, from a multiple of 8 on, are neighbours.
  template <class At>
  __device__ __forceinline__ void store(std::uint16_t* tile, At at) const {
    if constexpr (along_k) {
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) *reinterpret_cast<Chunk*>(tile + at(chunk_line(i), chunk_k())) = chunks_[i];
    } else {  // transposes 2 x 8 elements: a pair of neighbours in k for each of eight columns
#pragma unroll
      for (unsigned j = 0; j < 8; ++j) {
        const std::uint32_t low = chunks_[0][j / 2], high = chunks_[1][j / 2];
        *reinterpret_cast<std::uint32_t*>(tile + at(pair_line() + j, pair_k())) =
            j % 2 == 0 ? (low & 0xffff) | high << 16 : low >> 16 | (high & 0xffff0000);
      }
    }
  }

 private:
  // Four neighbouring threads load 64 bytes of a line.
  __device__ static unsigned chunk_line(unsigned i) { return threadIdx.x / 4 + i * (tile_side / 2); }
  __device__ static unsigned chunk_k() { return threadIdx.x % 4 * 8; }
  // Neighbouring threads have neighbouring pairs, whose words lie in different banks.
  __device__ static unsigned pair_line() { return threadIdx.x / 16 * 8; }
  __device__ static unsigned pair_k() { return threadIdx.x % 16 * 2; }

  Chunk chunks_[2];
};

/// A warp's quarter of the tile, 64 x 64: four by four accumulators.
class Quarter {
 public:
  /// Adds the product of two k-tiles in shared memory, with elements at `at(line, k)`.
  template <bool bf16, class At>
  __device__ __forceinline__ void add(const std::uint16_t* tile_a, const std::uint16_t* tile_b, At at) {
    const unsigned lane = threadIdx.x % warp_size();
    const auto fragment = [&](const std::uint16_t* tile, unsigned line) {
      return *reinterpret_cast<const Chunk*>(tile + at(line + lane % side, lane / side * 8));
    };
    static_assert(tile_k == fragment_k);
    Chunk a[4], b[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      a[i] = fragment(tile_a, row() + i * side);
      b[i] = fragment(tile_b, column() + i * side);
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) multiply<bf16>(sums_[i][j], a[i], b[j]);
  }

  /// The tile begins at `tile_row` and `tile_column` of C.
  __device__ __forceinline__ void store(const Output& c, unsigned tile_row, unsigned tile_column) const {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
#pragma unroll
      for (unsigned j = 0; j < 4; ++j)
        mfma::store(c, tile_row + row() + i * side, tile_column + column() + j * side, sums_[i][j]);
  }

 private:
  __device__ static unsigned row() { return threadIdx.x / warp_size() / 2 * (4 * side); }
  __device__ static unsigned column() { return threadIdx.x / warp_size() % 2 * (4 * side); }

  Accumulator sums_[4][4] = {};
};
#endif

}  // namespace mfma
}  // namespace
}  // namespace crosswarp::gpu

#endif
