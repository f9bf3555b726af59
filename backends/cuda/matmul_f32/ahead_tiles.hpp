// The product by tiles of C whose threads load what they multiply next from shared memory while they multiply: A is
// transposed there, so that what a thread needs of it for one product is as few registers as there are of B, and there
// are enough for two products. Bound by the issue of multiply-adds and by the banks of the registers that they read.
#pragma once

#include <utility>

#include "backends/cuda/matmul_f32/product_tiles.hpp"

namespace crosswarp::gpu {
namespace {

/// How a block computes a tile of rows × columns elements of C, `depth` products of each at a time, in two stages.
///
/// 32 threads are 8 × 4, each with squares of 4 × 4 elements, `thread_rows` × `thread_columns` elements in all: the
/// same square of all threads is one piece, so that what the 32 read is the same or lies side by side, in no other's
/// bank.
template <unsigned rows_, unsigned columns_, unsigned depth_, unsigned thread_rows_, unsigned thread_columns_,
          unsigned blocks_>
struct AheadShape {
  static constexpr unsigned rows = rows_, columns = columns_, depth = depth_, thread_rows = thread_rows_,
                            thread_columns = thread_columns_;
  static constexpr unsigned blocks = blocks_;  ///< Of a multiprocessor at once, for which registers are kept.
  static constexpr unsigned group_rows = 8 * thread_rows, group_columns = 4 * thread_columns;
  static constexpr unsigned threads = 32 * (rows / group_rows) * (columns / group_columns);
  static constexpr unsigned line_of_a = rows + 4;  ///< So that a thread's four stores of A go into other banks.
  static constexpr unsigned floats_of_a = depth * line_of_a, floats_of_stage = floats_of_a + depth * columns;
  static constexpr std::size_t shared_bytes = sizeof(float) * 2 * floats_of_stage;
  /// A thread brings `loads_of_a` times four elements of a row of A, each from `rows_a_time` rows further down.
  static constexpr unsigned rows_a_time = threads / (depth / 4), loads_of_a = rows / rows_a_time;

  /// A thread's elements are multiplied along the shorter side of what it has, line after line. The orders of lines and
  /// of loads among them are the same to a reader, but not to the compiler, which moves them further and gives them
  /// registers by them. For the tall tile they are the fastest of some 500 that an H200 was given
  /// (docs/experiments/matmul_f32.md), for the others they are plain.
  static constexpr unsigned lines = std::max(thread_rows, thread_columns), pieces = (thread_rows + thread_columns) / 4;
  static constexpr bool is_tall = thread_rows == 16 && thread_columns == 8;
  /// The line that is multiplied as the number `turn`.
  static constexpr unsigned line_at(unsigned turn) {
    constexpr unsigned fours[]{1, 3, 2, 0};
    return is_tall ? 4 * fours[turn / 4] + turn % 4 : turn;
  }
  /// The turn before which a piece is loaded for the next product: four elements of A's column, or, behind those, of
  /// B's row.
  static constexpr unsigned turn_of_load(unsigned piece) {
    constexpr unsigned of_tall[]{9, 6, 11, 2, 5, 7};
    return is_tall ? of_tall[piece] : 0;
  }

  static_assert(rows % group_rows == 0 && columns % group_columns == 0 && thread_rows % 4 == 0 &&
                thread_columns % 4 == 0);
  static_assert(depth % 4 == 0 && threads % (depth / 4) == 0 && rows % rows_a_time == 0);
};

/// Calls `use` with each of the constants 0 … count - 1: what depends on them is decided before loops are unrolled,
/// which have a limit.
template <unsigned count, class Use>
__device__ __forceinline__ void for_constants(Use use) {
  [&]<unsigned... each>(std::integer_sequence<unsigned, each...>) {
    (use(std::integral_constant<unsigned, each>()), ...);
  }
  (std::make_integer_sequence<unsigned, count>());
}

/// Of a tile, the calling thread's first row and first column.
struct PlaceInTile {
  unsigned row, column;
};
template <class Tile>
__device__ PlaceInTile place_in_tile() {
  const unsigned group = threadIdx.x / 32, lane = threadIdx.x % 32;
  constexpr unsigned groups_across = Tile::columns / Tile::group_columns;
  return {group / groups_across * Tile::group_rows + (lane >> 1 & 7) * 4,
          group % groups_across * Tile::group_columns + ((lane >> 3 & 2) | (lane & 1)) * 4};
}

/// Adds products begin … end of the calling thread's elements of `tile` to `sums`. Every thread of the block must call
/// it. Uses all of Tile::shared_bytes, which nobody may still be reading. `from_afar`: what it reads of A is rarely in
/// L2.
template <class Tile, bool vectors, bool from_afar>
__device__ __forceinline__ void multiply_part(const TiledProduct& product, const TilePlace& tile, std::size_t begin,
                                              std::size_t end, float (&sums)[Tile::thread_rows][Tile::thread_columns]) {
  constexpr unsigned depth = Tile::depth, tm = Tile::thread_rows, tn = Tile::thread_columns;
  constexpr unsigned width = vectors ? 4 : 1;
  constexpr unsigned in_line = Tile::columns / width, lines_a_time = Tile::threads / in_line;
  static_assert(Tile::threads % in_line == 0 && depth % lines_a_time == 0);
  float* const memory = dynamic_shared<float>();
  const std::size_t first_row = std::size_t{tile.down} * Tile::rows;
  const std::size_t first_column = std::size_t{tile.across} * Tile::columns;

  // Rows and columns that are not there are the last ones once more, whose elements nobody writes: so the loop need not
  // ask for them.
  const unsigned a_row = threadIdx.x / (depth / 4), a_column = threadIdx.x % (depth / 4) * 4;
  const unsigned b_line = threadIdx.x / in_line, b_column = threadIdx.x % in_line * width;
  const float* from_a[Tile::loads_of_a];
#pragma unroll
  for (unsigned i = 0; i < Tile::loads_of_a; ++i) {
    const std::size_t row = first_row + a_row + i * Tile::rows_a_time;
    from_a[i] = product.a + (row < product.m ? row : product.m - 1) * product.k + begin + a_column;
  }
  const std::size_t column_of_b = first_column + b_column;
  const float* from_b =
      product.b + (begin + b_line) * product.n + (column_of_b < product.n ? column_of_b : product.n - width);
  float* const to_a = memory + a_column * Tile::line_of_a + a_row;
  float* const to_b = memory + Tile::floats_of_a + b_line * Tile::columns + b_column;

  // Both are called for one step after another, of whose products `there` are there; the others are zeros.
  float next_a[Tile::loads_of_a][4];
  const auto load_a = [&](unsigned there) {
#pragma unroll
    for (unsigned i = 0; i < Tile::loads_of_a; ++i) {
      if constexpr (vectors) {
        const float4 v = a_column < there ? *reinterpret_cast<const float4*>(from_a[i]) : make_float4(0, 0, 0, 0);
        next_a[i][0] = v.x, next_a[i][1] = v.y, next_a[i][2] = v.z, next_a[i][3] = v.w;
      } else {
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) next_a[i][j] = a_column + j < there ? from_a[i][j] : 0;
      }
      from_a[i] += depth;
    }
  };
  const auto copy_b = [&](unsigned there, unsigned stage) {
#pragma unroll
    for (unsigned i = 0; i < depth / lines_a_time; ++i) {
      const bool is_there = b_line + i * lines_a_time < there;
      cp_async_floats<width>(to_b + stage * Tile::floats_of_stage + i * lines_a_time * Tile::columns, from_b, is_there);
      from_b += lines_a_time * product.n;
    }
    cp_async_commit_group();
  };
  const auto store_a = [&](unsigned stage) {
#pragma unroll
    for (unsigned i = 0; i < Tile::loads_of_a; ++i)
#pragma unroll
      for (unsigned j = 0; j < 4; ++j)
        to_a[stage * Tile::floats_of_stage + j * Tile::line_of_a + i * Tile::rows_a_time] = next_a[i][j];
  };
  const auto there_at = [&](std::size_t at) {
    return at >= end ? 0u : end - at < depth ? static_cast<unsigned>(end - at) : depth;
  };

  const PlaceInTile place = place_in_tile<Tile>();
  float left[2][tm], right[2][tn];
  const auto load_piece = [&](unsigned l, unsigned stage, unsigned to, unsigned piece) {
    const float* const from = memory + stage * Tile::floats_of_stage;
    if (piece < tm / 4) {
      const float4 v = *reinterpret_cast<const float4*>(from + place.row + l * Tile::line_of_a + 32 * piece);
      float* const four = &left[to][4 * piece];
      four[0] = v.x, four[1] = v.y, four[2] = v.z, four[3] = v.w;
    } else {
      const unsigned j = 4 * (piece - tm / 4);
      const float4 v =
          *reinterpret_cast<const float4*>(from + Tile::floats_of_a + place.column + l * Tile::columns + 4 * j);
      float* const four = &right[to][j];
      four[0] = v.x, four[1] = v.y, four[2] = v.z, four[3] = v.w;
    }
  };

  load_a(there_at(begin));
  copy_b(there_at(begin), 0);
  store_a(0);
  if constexpr (from_afar) load_a(there_at(begin + depth));
  cp_async_wait_group<0>();
  __syncthreads();
#pragma unroll
  for (unsigned piece = 0; piece < Tile::pieces; ++piece) load_piece(0, 0, 0, piece);
  unsigned stage = 0;
#pragma unroll 1
  for (std::size_t at = begin; at < end; at += depth) {
    // The compiler moves these loads to as late as L2 allows; those from afar it cannot move over the end of the loop.
    if constexpr (!from_afar) load_a(there_at(at + depth));
    copy_b(there_at(at + depth), stage ^ 1);  // zeros after the last step, which nobody multiplies
#pragma unroll
    for (unsigned l = 0; l < depth; ++l) {
      if (l + 1 == depth) {
        store_a(stage ^ 1);
        cp_async_wait_group<0>();
        __syncthreads();  // the next stage is there for all, and nobody reads this one any more, which is filled next
        stage ^= 1;
        if constexpr (from_afar) load_a(there_at(at + 2 * depth));
      }
      // There and back: so each multiply-add reads a register that the one before it has read, at a turn the other one
      // of the two, and the banks of registers have two to bring instead of three.
      for_constants<Tile::lines>([&](auto turn_) {
        constexpr unsigned turn = decltype(turn_)::value, line = Tile::line_at(turn), length = tm * tn / Tile::lines;
        for_constants<Tile::pieces>([&](auto piece) {
          if constexpr (Tile::turn_of_load(decltype(piece)::value) == turn)
            load_piece((l + 1) % depth, stage, (l + 1) % 2, piece);
        });
#pragma unroll
        for (unsigned step = 0; step < length; ++step) {
          const unsigned other = turn % 2 == 0 ? step : length - 1 - step;
          const unsigned i = tm < tn ? other : line, j = tm < tn ? line : other;
          sums[i][j] += left[l % 2][i] * right[l % 2][j];
        }
      });
    }
  }
}

/// Writes what multiply_part() made of a tile, or of the part of blockIdx.y.
template <class Tile, bool vectors>
__device__ void store_tile(const TiledProduct& product, const TilePlace& tile,
                           const float (&sums)[Tile::thread_rows][Tile::thread_columns]) {
  const PlaceInTile place = place_in_tile<Tile>();
  const std::size_t first = std::size_t{tile.down} * Tile::rows + place.row;
  store_sums<vectors>(product, sums, std::size_t{tile.across} * Tile::columns + place.column,
                      [=](unsigned i) { return first + i / 4 * 32 + i % 4; });
}

template <class Tile, bool vectors>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks) multiply_ahead(TiledProduct product) {
  grid_dependency_sync();
  const TilePlace tile(product, blockIdx.x);
  const std::size_t begin = blockIdx.y * product.part;
  const std::size_t end = begin + product.part < product.k ? begin + product.part : product.k;
  float sums[Tile::thread_rows][Tile::thread_columns] = {};
  multiply_part<Tile, vectors, false>(product, tile, begin, end, sums);
  store_tile<Tile, vectors>(product, tile, sums);
}

/// Enqueues the product of all elements as launch_tiles() does.
template <class Tile, bool vectors>
void launch_ahead(const Queue& queue, const MatmulF32::Args& args, std::size_t parts) {
  launch_tiles_by<Tile>(multiply_ahead<Tile, vectors>, queue, args, parts);
}

/// The shapes that are compiled. By what a thread has: 64 elements, in blocks of 4 warps, of which a multiprocessor has
/// 16; or 128, for six loads of 16 bytes each, in blocks of 4 or of 8 warps, of which it has 8.
using AheadFlatTile = AheadShape<64, 128, 8, 8, 8, 4>;
using AheadMediumTile = AheadShape<128, 64, 8, 8, 8, 4>;
using AheadLargeTile = AheadShape<128, 128, 16, 16, 8, 2>;
using AheadWideTile = AheadShape<128, 256, 16, 8, 16, 1>;

}  // namespace
}  // namespace crosswarp::gpu
