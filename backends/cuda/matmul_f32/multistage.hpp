// A pipeline of several k-tiles, brought by cp.async copies of single elements: A is transposed on its way to shared
// memory, and rows may start anywhere. The warps of one block suffice to hide the latency of memory, so that small
// tiles, and few of them, are fast. Bound by the issue of multiply-adds; small products by latency.
//
// Lanes must not copy one and the same element: the hardware serves such copies one after the other. With clamped
// columns a tile at the edge of C took up to 1.65 times as long as others (H100). Rows of A are still repeated where C
// has less than half a tile of them: others in their place gained nothing.
#pragma once

#include "backends/cuda/matmul_f32/split_k.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// A PrefetchTile with `stages` k-tiles in shared memory.
template <unsigned m, unsigned n, unsigned k, unsigned thread_m, unsigned thread_n, unsigned stages_,
          unsigned min_blocks>
struct MultistageTile : PrefetchTile<m, n, k, thread_m, thread_n, min_blocks> {
  using Prefetched = PrefetchTile<m, n, k, thread_m, thread_n, min_blocks>;
  static constexpr unsigned stages = stages_;
  static constexpr std::size_t shared_bytes = sizeof(float) * stages * Prefetched::stage_floats;
#ifdef __HIP_PLATFORM_AMD__
  static constexpr unsigned launch_bound = std::max(1u, min_blocks* Prefetched::threads / 256);  ///< Waves of a SIMD.
#else
  static constexpr unsigned launch_bound = min_blocks;  ///< Blocks of a multiprocessor.
#endif
  /// Neighbouring lanes copy so many elements of a row of A. A warp of 32 copies four rows, to different banks.
  static constexpr unsigned a_lanes = 8, a_rows_per_pass = Prefetched::threads / a_lanes,
                            a_passes = m / a_rows_per_pass;

  static_assert(stages >= 3 && k % a_lanes == 0 && m % a_rows_per_pass == 0);
};

namespace matmul_f32_multistage {

using Tile128x256 = MultistageTile<128, 256, 8, 16, 8, 3, 1>;
using Tile128x128 = MultistageTile<128, 128, 8, 16, 8, 4, 2>;
using Tile64x64 = MultistageTile<64, 64, 8, 8, 4, 4, 4>;
using Tile64x32 = MultistageTile<64, 32, 8, 8, 4, 4, 8>;
using Tile32x64 = MultistageTile<32, 64, 16, 4, 8, 3, 8>;
using Tile64x128 = MultistageTile<64, 128, 8, 8, 8, 3, 3>;
using Tile128x64 = MultistageTile<128, 64, 8, 8, 8, 3, 3>;
using Tile32x32 = MultistageTile<32, 32, 8, 4, 4, 4, 12>;

/// The kernel of multistage.cu, for each of these tiles. Requires m, n > 0 and a workspace of split_k_workspace()
/// bytes.
template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args, const Splits& splits);

}  // namespace matmul_f32_multistage
}  // namespace CROSSWARP_PLATFORM
namespace {

/// Starts a copy of one float, or of zero and does not read `from` where !is_valid. `whole_line`: brings the line of
/// 128 bytes into L2, of which the next k-tiles have the rest, while rows of A may lie in different pages of memory.
/// That is for tiles of few columns, which have A read at the rate of memory; others gain nothing.
template <bool whole_line>
__device__ void copy_of_a(float* to_shared, const float* from, bool is_valid) {
#if CROSSWARP_HAS_PTX
  if constexpr (whole_line) {
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4, %2;" ::"r"(shared_address(to_shared)), "l"(from),
                 "r"(is_valid ? 4 : 0)
                 : "memory");
    return;
  }
#endif
  cp_async_floats<1>(to_shared, from, is_valid);
}

/// Adds the products of k_begin … k_end to the calling thread's accumulators of `tile`. All threads of the block call
/// it. `width`: floats of B in a copy, 4 where its rows start on 16-byte boundaries, else 1.
template <class Tile, unsigned width>
__device__ __forceinline__ void multiply_multistage(const GemmProblem& gemm, const TileCoord& tile, std::size_t k_begin,
                                                    std::size_t k_end, float (&acc)[Tile::thread_m][Tile::thread_n]) {
  constexpr unsigned thread_m = Tile::thread_m, thread_n = Tile::thread_n, stages = Tile::stages;
  constexpr unsigned copies_per_row = Tile::n / width, b_rows_per_pass = Tile::template b_rows_per_pass<width>;
  constexpr unsigned narrow = 64;  // columns of C
  float* const shared = dynamic_shared<float>();
  const std::size_t first_row = std::size_t{tile.row} * Tile::m, first_column = std::size_t{tile.column} * Tile::n;

  // Addresses of the thread's copies. In place of rows outside A come others, whose products the epilogue drops; in
  // place of columns outside B zeros.
  const unsigned a_row = threadIdx.x / Tile::a_lanes, a_column = threadIdx.x % Tile::a_lanes;
  const unsigned b_row = threadIdx.x / copies_per_row, b_column = threadIdx.x % copies_per_row * width;
  const float* a_from[Tile::a_passes];
#pragma unroll
  for (unsigned i = 0; i < Tile::a_passes; ++i) {
    const std::size_t row = first_row + a_row + i * Tile::a_rows_per_pass;
    const std::size_t inside = row < gemm.m ? row : row - gemm.m < gemm.m ? row - gemm.m : 0;
    a_from[i] = gemm.a + inside * gemm.k + k_begin + a_column;
  }
  const float* b_from = gemm.b + (k_begin + b_row) * gemm.n + first_column + b_column;
  const std::size_t b_step = b_rows_per_pass * gemm.n;
  float* const a_to = shared + a_column * Tile::a_pitch + a_row;
  float* const b_to = shared + Tile::a_floats + b_row * Tile::n + b_column;

  const unsigned own_b_row = first_column + b_column < gemm.n ? b_row : ~0u - Tile::k;  // behind any end of k
  std::size_t left = k_begin < k_end ? k_end - k_begin : 0;                             // of k, to be copied
  const auto copy = [&](unsigned stage) {
    const unsigned offset = stage * Tile::stage_floats;
    const unsigned valid = left < Tile::k ? static_cast<unsigned>(left) : Tile::k;
#pragma unroll
    for (unsigned i = 0; i < Tile::a_passes; ++i) {
#pragma unroll
      for (unsigned l = 0; l < Tile::k; l += Tile::a_lanes)
        copy_of_a<Tile::n <= narrow>(a_to + offset + i * Tile::a_rows_per_pass + l * Tile::a_pitch, a_from[i] + l,
                                     a_column + l < valid);
      a_from[i] += Tile::k;
    }
#pragma unroll
    for (unsigned i = 0; i < Tile::k; i += b_rows_per_pass, b_from += b_step)
      cp_async_floats<width>(b_to + offset + i * Tile::n, b_from, own_b_row + i < valid);
    left -= valid;
    cp_async_commit_group();
  };

  // Register fragments, double-buffered: step l of k multiplies set l % 2 and loads the other. Not in one function
  // with multiply_accumulate(), for which ptxas would allocate other registers then.
  const ThreadCoord thread = thread_coord<Tile>();
  float a_fragment[2][thread_m], b_fragment[2][thread_n];
  const auto load_fragment = [&](unsigned l, unsigned stage, unsigned vector) {
    const float* const from = shared + stage * Tile::stage_floats;
    if (vector < thread_m / 4) {
      load_vector(&a_fragment[l % 2][4 * vector], from + thread.row + l * Tile::a_pitch + 32 * vector);
    } else {
      const unsigned j = 4 * (vector - thread_m / 4);
      load_vector(&b_fragment[l % 2][j], from + Tile::a_floats + thread.column + l * Tile::n + 4 * j);
    }
  };

#pragma unroll
  for (unsigned stage = 0; stage + 1 < stages; ++stage) copy(stage);
  cp_async_wait_group<stages - 2>();
  __syncthreads();
#pragma unroll
  for (unsigned vector = 0; vector < Tile::fragment_vectors; ++vector) load_fragment(0, 0, vector);
  unsigned stage = 0, free_stage = stages - 1;
#pragma unroll 1
  for (std::size_t k0 = k_begin; k0 < k_end; k0 += Tile::k) {
    copy(free_stage);  // of zeros behind the last k-tile, which keeps the count of groups
    free_stage = stage;
#pragma unroll
    for (unsigned l = 0; l < Tile::k; ++l) {
      if (l + 1 == Tile::k) {
        stage = stage + 1 == stages ? 0 : stage + 1;
        cp_async_wait_group<stages - 2>();
        __syncthreads();  // the next stage has landed for all threads; none reads this one, which is filled next
      }
      multiply_step<Tile>(a_fragment[l % 2], b_fragment[l % 2], acc,
                          [&](unsigned vector) { load_fragment((l + 1) % Tile::k, stage, vector); });
    }
  }
  cp_async_wait_group<0>();  // the zeros, for which the epilogue may not have room any more
}

}  // namespace
}  // namespace crosswarp::gpu
