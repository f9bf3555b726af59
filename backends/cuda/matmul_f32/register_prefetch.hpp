// Register double buffering: while a thread multiplies its fragments of one step of k, it loads those of the next step
// from shared memory. The mainloop of register_prefetch, split_k and stream_k.
//
// A is transposed in shared memory. Otherwise 16-byte loads would bring four steps of k at once: twice the registers,
// and fragments in one register bank. Bound by the issue of multiply-adds.
#pragma once

#include <algorithm>

#include "backends/cuda/matmul_f32/gemm_tile.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// A block computes m × n elements of C in k-tiles of depth k, with two stages in shared memory. A thread computes
/// thread_m × thread_n of them, as squares of 4 × 4; a square of all 32 threads of a warp tile is contiguous in C.
template <unsigned m_, unsigned n_, unsigned k_, unsigned thread_m_, unsigned thread_n_, unsigned min_blocks_>
struct PrefetchTile {
  static constexpr unsigned m = m_, n = n_, k = k_, thread_m = thread_m_, thread_n = thread_n_;
  static constexpr unsigned min_blocks = min_blocks_;  ///< Resident per multiprocessor: the limit on registers.
  static constexpr unsigned warp_m = 8 * thread_m, warp_n = 4 * thread_n;
  static constexpr unsigned threads = 32 * (m / warp_m) * (n / warp_n);
  static constexpr unsigned a_pitch = m + 4;  ///< Spreads a thread's four transposed stores over the banks.
  static constexpr unsigned a_floats = k * a_pitch, stage_floats = a_floats + k * n;
  static constexpr std::size_t shared_bytes = sizeof(float) * 2 * stage_floats;
  /// Each thread loads four elements of a row of A per pass.
  static constexpr unsigned a_rows_per_pass = threads / (k / 4), a_passes = m / a_rows_per_pass;
  /// Each thread copies `width` elements of a row of B per pass.
  template <unsigned width>
  static constexpr unsigned b_rows_per_pass = threads / (n / width);

  /// Instruction order of one step of k. The outer product runs line by line, a line being a row or a column of the
  /// thread tile, whichever is shorter; before some lines a 16-byte vector of the next step's fragments is loaded. Any
  /// order is correct, but the compiler schedules and allocates registers by it: the tall tile has the fastest of about
  /// 500 orders on an H200 (docs/experiments/matmul_f32.md).
  static constexpr unsigned lines = std::max(thread_m, thread_n), fragment_vectors = (thread_m + thread_n) / 4;
  static constexpr bool is_tall = thread_m == 16 && thread_n == 8;
  static constexpr unsigned line_at(unsigned turn) {
    constexpr unsigned group_order[]{1, 3, 2, 0};
    return is_tall ? 4 * group_order[turn / 4] + turn % 4 : turn;
  }
  /// The line before which a vector is loaded. Vectors of A come first, then those of B.
  static constexpr unsigned load_turn(unsigned vector) {
    constexpr unsigned tall[]{9, 6, 11, 2, 5, 7};
    return is_tall ? tall[vector] : 0;
  }

  static_assert(m % warp_m == 0 && n % warp_n == 0 && thread_m % 4 == 0 && thread_n % 4 == 0);
  static_assert(k % 4 == 0 && threads % (k / 4) == 0 && m % a_rows_per_pass == 0);
  static_assert(threads % n == 0 && k % b_rows_per_pass<4> == 0 && b_rows_per_pass<1> > 0);
};

/// 64 elements per thread: blocks of 4 warps, 16 warps per multiprocessor.
using FlatTile = PrefetchTile<64, 128, 8, 8, 8, 4>;
using MediumTile = PrefetchTile<128, 64, 8, 8, 8, 4>;
/// 128 elements per thread, six 16-byte loads per step: blocks of 4 or 8 warps, 8 warps per multiprocessor.
using LargeTile = PrefetchTile<128, 128, 16, 16, 8, 2>;
using WideTile = PrefetchTile<128, 256, 16, 8, 16, 1>;

}  // namespace CROSSWARP_PLATFORM
namespace {

/// The calling thread's first row and column in its block tile.
struct ThreadCoord {
  unsigned row, column;
};
template <class Tile>
__device__ ThreadCoord thread_coord() {
  const unsigned warp = threadIdx.x / 32;
  constexpr unsigned warps_n = Tile::n / Tile::warp_n;
  return {warp / warps_n * Tile::warp_m + lane_row() * 4, warp % warps_n * Tile::warp_n + lane_column() * 4};
}

/// One 16-byte load that brings its whole line into L2: the next k-tiles have the rest of it, and rows of A may lie in
/// different pages of memory.
__device__ inline float4 load_line(const float* from) {
#if CROSSWARP_HAS_PTX
  float4 v;
  asm volatile("ld.global.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(from));
  return v;
#else
  return load_vector(from);
#endif
}

/// Loads the thread's part of a k-tile of A: four elements each of a_passes rows, from column `column` of the k-tile
/// on. Columns from `valid` on are zeros. Advances `from` to the next k-tile.
template <class Tile, bool aligned>
__device__ void load_a(float (&to)[Tile::a_passes][4], const float* (&from)[Tile::a_passes], unsigned column,
                       unsigned valid) {
#pragma unroll
  for (unsigned i = 0; i < Tile::a_passes; ++i) {
    if constexpr (aligned) {
      const float4 v = column < valid ? load_line(from[i]) : make_float4(0, 0, 0, 0);
      to[i][0] = v.x, to[i][1] = v.y, to[i][2] = v.z, to[i][3] = v.w;
    } else {
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) to[i][j] = column + j < valid ? from[i][j] : 0;
    }
    from[i] += Tile::k;
  }
}

/// Stores it to shared memory, transposed.
template <class Tile>
__device__ void store_a(float* to_shared, const float (&a)[Tile::a_passes][4]) {
#pragma unroll
  for (unsigned i = 0; i < Tile::a_passes; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) to_shared[j * Tile::a_pitch + i * Tile::a_rows_per_pass] = a[i][j];
}

/// The thread's part of a k-tile of B on its way to shared memory: rows from `row` of the k-tile on, those from `valid`
/// on zeros. load() advances `from` to the next k-tile; store() completes what may be left. Vectors are copied
/// asynchronously; single elements, where a thread has more than four, pass through registers, since many asynchronous
/// copies of 4 bytes are slow.
template <class Tile, unsigned width>
struct CopyOfB {
  static constexpr unsigned rows_per_pass = Tile::template b_rows_per_pass<width>, passes = Tile::k / rows_per_pass;
  static constexpr bool by_registers = width == 1 && passes > 4;
  float elements[by_registers ? passes : 1];

  __device__ void load(float* to_shared, const float*& from, std::size_t stride, unsigned row, unsigned valid) {
#pragma unroll
    for (unsigned i = 0; i < passes; ++i) {
      const bool is_valid = row + i * rows_per_pass < valid;
      if constexpr (by_registers)
        elements[i] = is_valid ? *from : 0;
      else
        cp_async_floats<width>(to_shared + i * rows_per_pass * Tile::n, from, is_valid);
      from += rows_per_pass * stride;
    }
    cp_async_commit_group();
  }
  __device__ void store(float* to_shared) const {
    if constexpr (by_registers)
#pragma unroll
      for (unsigned i = 0; i < passes; ++i) to_shared[i * rows_per_pass * Tile::n] = elements[i];
  }
};

/// Multiplies a thread's fragments of one step of k, and loads those of the next between the lines: by load(vector).
/// Lines run back and forth: each multiply-add reuses an operand register of the one before it, also at a turn, so that
/// the register banks deliver two operands instead of three.
template <class Tile, class Load>
__device__ __forceinline__ void multiply_step(const float (&a)[Tile::thread_m], const float (&b)[Tile::thread_n],
                                              float (&acc)[Tile::thread_m][Tile::thread_n], Load load) {
  for_constants<Tile::lines>([&](auto turn_) {
    constexpr unsigned turn = decltype(turn_)::value, line = Tile::line_at(turn);
    constexpr unsigned length = Tile::thread_m * Tile::thread_n / Tile::lines;
    for_constants<Tile::fragment_vectors>([&](auto vector) {
      if constexpr (Tile::load_turn(decltype(vector)::value) == turn) load(decltype(vector)::value);
    });
#pragma unroll
    for (unsigned step = 0; step < length; ++step) {
      const unsigned across = turn % 2 == 0 ? step : length - 1 - step;
      constexpr bool by_column = Tile::thread_m < Tile::thread_n;
      const unsigned i = by_column ? across : line, j = by_column ? line : across;
      acc[i][j] += a[i] * b[j];
    }
  });
}

/// Adds the products of k_begin … k_end to the calling thread's accumulators of `tile`. All threads of the block call
/// it; none may still read the shared memory. `prefetch_a` loads A from global memory a k-tile earlier, for operands
/// that rarely hit L2.
///
/// The compiler's schedule depends on the order of these statements: reorder only with measurements.
template <class Tile, AlignedRows rows, bool prefetch_a>
__device__ __forceinline__ void multiply_accumulate(const GemmProblem& gemm, const TileCoord& tile, std::size_t k_begin,
                                                    std::size_t k_end, float (&acc)[Tile::thread_m][Tile::thread_n]) {
  constexpr bool aligned = rows == AlignedRows::all;  // A's
  constexpr unsigned width = rows == AlignedRows::none ? 1 : 4, copies_per_row = Tile::n / width;
  constexpr unsigned thread_m = Tile::thread_m, thread_n = Tile::thread_n;
  float* const shared = dynamic_shared<float>();
  const std::size_t first_row = std::size_t{tile.row} * Tile::m, first_column = std::size_t{tile.column} * Tile::n;

  // Addresses of the thread's copies. Rows and columns outside the matrices repeat the last one, so that the loop needs
  // no bounds checks; the epilogue drops their results.
  const unsigned a_row = threadIdx.x / (Tile::k / 4), a_column = threadIdx.x % (Tile::k / 4) * 4;
  const unsigned b_row = threadIdx.x / copies_per_row, b_column = threadIdx.x % copies_per_row * width;
  const float* a_from[Tile::a_passes];
#pragma unroll
  for (unsigned i = 0; i < Tile::a_passes; ++i) {
    const std::size_t row = first_row + a_row + i * Tile::a_rows_per_pass;
    a_from[i] = gemm.a + (row < gemm.m ? row : gemm.m - 1) * gemm.k + k_begin + a_column;
  }
  const std::size_t column = first_column + b_column;
  const float* b_from = gemm.b + (k_begin + b_row) * gemm.n + (column < gemm.n ? column : gemm.n - width);
  float* const a_to = shared + a_column * Tile::a_pitch + a_row;
  float* const b_to = shared + Tile::a_floats + b_row * Tile::n + b_column;
  float a_next[Tile::a_passes][4];
  const auto valid = [&](std::size_t k0) {  // steps of k in the k-tile at k0
    return k0 >= k_end ? 0u : k_end - k0 < Tile::k ? static_cast<unsigned>(k_end - k0) : Tile::k;
  };

  // Register fragments, double-buffered: step l of k multiplies set l % 2 and loads the other.
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

  load_a<Tile, aligned>(a_next, a_from, a_column, valid(k_begin));
  CopyOfB<Tile, width> b_next;
  b_next.load(b_to, b_from, gemm.n, b_row, valid(k_begin));
  store_a<Tile>(a_to, a_next);
  b_next.store(b_to);
  if constexpr (prefetch_a) load_a<Tile, aligned>(a_next, a_from, a_column, valid(k_begin + Tile::k));
  cp_async_wait_group<0>();
  __syncthreads();
#pragma unroll
  for (unsigned vector = 0; vector < Tile::fragment_vectors; ++vector) load_fragment(0, 0, vector);
  unsigned stage = 0;
#pragma unroll 1
  for (std::size_t k0 = k_begin; k0 < k_end; k0 += Tile::k) {
    // The compiler sinks these loads as far as the latency of L2 allows. It cannot move them across the end of the
    // loop, which `prefetch_a` does. Behind the last k-tile come zeros that no thread multiplies.
    if constexpr (!prefetch_a) load_a<Tile, aligned>(a_next, a_from, a_column, valid(k0 + Tile::k));
    b_next.load(b_to + (stage ^ 1) * Tile::stage_floats, b_from, gemm.n, b_row, valid(k0 + Tile::k));
#pragma unroll
    for (unsigned l = 0; l < Tile::k; ++l) {
      if (l + 1 == Tile::k) {
        store_a<Tile>(a_to + (stage ^ 1) * Tile::stage_floats, a_next);
        b_next.store(b_to + (stage ^ 1) * Tile::stage_floats);
        cp_async_wait_group<0>();
        __syncthreads();  // the next stage has landed for all threads; none reads this one, which is filled next
        stage ^= 1;
        if constexpr (prefetch_a) load_a<Tile, aligned>(a_next, a_from, a_column, valid(k0 + 2 * Tile::k));
      }
      multiply_step<Tile>(a_fragment[l % 2], b_fragment[l % 2], acc,
                          [&](unsigned vector) { load_fragment((l + 1) % Tile::k, stage, vector); });
    }
  }
}

/// Stores the accumulators of `tile` to C, whose rows start anywhere, by way of shared memory: two rows of each thread
/// at a time. Nothing else may be read there any more once all threads are here.
template <class Tile>
__device__ void store_tile_by_shared(const GemmProblem& gemm, const TileCoord& tile,
                                     const float (&acc)[Tile::thread_m][Tile::thread_n]) {
  constexpr unsigned warp_rows = 8 * 2, rows = Tile::m / Tile::warp_m * warp_rows, pitch = Tile::n + 4;
  static_assert(rows * pitch * sizeof(float) <= Tile::shared_bytes);
  float* const shared = dynamic_shared<float>();
  const ThreadCoord thread = thread_coord<Tile>();
  float* const own = shared + (thread.row / Tile::warp_m * warp_rows + 2 * lane_row()) * pitch + thread.column;
#pragma unroll
  for (unsigned first = 0; first < Tile::thread_m; first += 2) {
    __syncthreads();  // what was in shared memory has been read
#pragma unroll
    for (unsigned i = 0; i < 2; ++i)
#pragma unroll
      for (unsigned j = 0; j < Tile::thread_n; j += 4)
        *reinterpret_cast<float4*>(own + i * pitch + 4 * j) = to_fresh_registers(&acc[first + i][j]);
    __syncthreads();
    store_from_shared<rows, Tile::n, pitch, Tile::threads>(
        gemm, shared, std::size_t{tile.row} * Tile::m + first / 4 * 32 + first % 4, std::size_t{tile.column} * Tile::n,
        [](unsigned r) { return r / warp_rows * Tile::warp_m + r % warp_rows / 2 * 4 + r % 2; });
  }
}

/// Stores the accumulators of `tile` to C, or to a tile's partial sums.
template <class Tile, AlignedRows rows>
__device__ void store_tile(const GemmProblem& gemm, const TileCoord& tile,
                           const float (&acc)[Tile::thread_m][Tile::thread_n]) {
  const ThreadCoord thread = thread_coord<Tile>();
  const std::size_t first = std::size_t{tile.row} * Tile::m + thread.row;
  const std::size_t column = std::size_t{tile.column} * Tile::n + thread.column;
  const auto c_row = [=](unsigned i) { return first + i / 4 * 32 + i % 4; };
  if constexpr (rows != AlignedRows::none)
    store_accumulators<true>(gemm, acc, column, gemm.n, c_row);
  else if (gemm.c_pitch % 4 == 0)  // partial sums
    store_accumulators<true>(gemm, acc, column, gemm.c_pitch, c_row);
  else
    store_tile_by_shared<Tile>(gemm, tile, acc);
}

}  // namespace
}  // namespace crosswarp::gpu
