// What the products of 16-bit matrices have in common: how their factors are read and their sums are written where a
// tile is ragged, and the order of tiles.
#pragma once

#include <cstdint>

#include "backends/cuda/device/tensor_tile.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
namespace {

/// A row-major matrix of 16-bit elements without gaps. Places are counted in 32 bits, elements in 64.
struct Factor {
  const std::uint16_t* at;
  unsigned rows, columns;

  /// Rows begin at multiples of 16 bytes.
  __host__ __device__ bool is_aligned() const { return columns % 8 == 0; }

  /// The element at a place, zero outside.
  __device__ std::uint16_t element(unsigned row, unsigned column) const {
    return row < rows && column < columns ? at[std::size_t{row} * columns + column] : std::uint16_t{0};
  }

  /// Eight elements of a row, from a multiple of eight on; zeros outside.
  __device__ uint4 piece(unsigned row, unsigned column) const {
    if (is_aligned())
      return row < rows && column < columns ? *reinterpret_cast<const uint4*>(at + std::size_t{row} * columns + column)
                                            : uint4{};
    const auto pair = [&](unsigned first) { return element(row, first) | unsigned{element(row, first + 1)} << 16; };
    return {pair(column), pair(column + 2), pair(column + 4), pair(column + 6)};
  }
};

__device__ inline float widened(Half value) { return half_value(value); }
__device__ inline float widened(Bfloat16 value) { return to_float(value); }

/// A dimension as kernels and libraries count it, with room for the tile in which it ends.
inline unsigned extent(std::size_t of) {
  if (of > 0x7fff'0000) throw Error("dimensions of this product must be less than 2^31");
  return static_cast<unsigned>(of);
}

inline Factor factor_a(const MatmulF16::Args& args) { return {args.a.data(), extent(args.m), extent(args.k)}; }
inline Factor factor_b(const MatmulF16::Args& args) {
  return args.b_transposed ? Factor{args.b.data(), extent(args.n), extent(args.k)}
                           : Factor{args.b.data(), extent(args.k), extent(args.n)};
}

/// Whether the rows of both factors begin at multiples of 16 bytes. For variants that ask this of a point.
inline bool has_aligned_factors(const Point& point) {
  return point.integer("k") % 8 == 0 && (point.word("layout") == "tn" || point.integer("n") % 8 == 0);
}
inline bool has_aligned_factors(const MatmulF16::Args& args) {
  return args.k % 8 == 0 && (args.b_transposed || args.n % 8 == 0);
}

/// Whether there is nothing to multiply; then C is already as it must be.
inline bool is_done_without_factors(const Queue& queue, const MatmulF16::Args& args) {
  if (args.k == 0) clear(queue, args.c);
  return args.m == 0 || args.n == 0 || args.k == 0;
}

/// Calls `use` with the types of the factors, `[&]<bool bf16, bool b_transposed>()`.
template <class Use>
void with_factors(const MatmulF16::Args& args, Use&& use) {
  if (args.bf16)
    args.b_transposed ? use.template operator()<true, true>() : use.template operator()<true, false>();
  else
    args.b_transposed ? use.template operator()<false, true>() : use.template operator()<false, false>();
}

/// C, to which sums in float are written in its type.
struct Output {
  void* at;
  unsigned rows, columns;
  bool is_f32, is_bf16;

  explicit Output(const MatmulF16::Args& args)
      : at(args.c.data()), rows(extent(args.m)), columns(extent(args.n)), is_f32(args.f32_out), is_bf16(args.bf16) {}

  /// The same matrix of floats, elsewhere.
  static Output of_floats(void* at, const Output& like) {
    Output floats = like;
    floats.at = at;
    floats.is_f32 = true;
    return floats;
  }
  /// That of floats which is `elements` behind this one.
  __device__ Output part(std::size_t elements) const {
    Output behind = *this;
    behind.at = static_cast<float*>(at) + elements;
    return behind;
  }

  __device__ void store_at(std::size_t i, float sum) const {
    if (is_f32)
      static_cast<float*>(at)[i] = sum;
    else
      static_cast<std::uint16_t*>(at)[i] = is_bf16 ? to_bfloat16(sum).bits : to_half(sum).bits;
  }
  __device__ void store(unsigned row, unsigned column, float sum) const {
    if (row < rows && column < columns) store_at(std::size_t{row} * columns + column, sum);
  }

#if CROSSWARP_HAS_PTX
  /// Two sums in the output's type, if that has 16 bits.
  template <bool bf16>
  __device__ static std::uint32_t packed(float first, float second) {
    std::uint32_t both;
    if constexpr (bf16)
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    else
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
  }

  /// What a lane has of a warp's 16 rows of 2·`count` columns, in the layout of mma.m16n8 and wgmma: of each eight
  /// columns those at 2·(l % 4) and behind it, in rows l / 4 (sums 0 and 1) and l / 4 + 8 (sums 2 and 3).
  template <bool bf16, unsigned count>
  __device__ void store_fragment(unsigned first_row, unsigned first_column, const float (&sums)[count]) const {
    if (is_f32)
      store_pairs<float>(first_row, first_column, sums, [](float first, float second) {
        return SumPair<float>{first, second};
      });
    else
      store_pairs<std::uint16_t>(first_row, first_column, sums, [](float first, float second) {
        return __builtin_bit_cast(SumPair<std::uint16_t>, packed<bf16>(first, second));
      });
  }

 private:
  /// Pairs are stored as one where the pitch allows it.
  template <class Element, unsigned count, class Convert>
  __device__ void store_pairs(unsigned first_row, unsigned first_column, const float (&sums)[count],
                              Convert convert) const {
    const unsigned lane = threadIdx.x % warp_size(), column = first_column + lane % 4 * 2;
    const unsigned left = column < columns ? columns - column : 0;
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const unsigned row = first_row + lane / 4 + 8 * h;
      if (row >= rows) continue;
      Element* const to = static_cast<Element*>(at) + std::size_t{row} * columns + column;
      if (columns % 2 == 0) {
#pragma unroll
        for (unsigned j = 0; j < count / 4; ++j)
          if (8 * j < left)
            *reinterpret_cast<SumPair<Element>*>(to + 8 * j) = convert(sums[4 * j + 2 * h], sums[4 * j + 2 * h + 1]);
      } else {
#pragma unroll
        for (unsigned j = 0; j < count / 4; ++j) {
          const SumPair<Element> pair = convert(sums[4 * j + 2 * h], sums[4 * j + 2 * h + 1]);
          if (8 * j < left) to[8 * j] = pair.first;
          if (8 * j + 1 < left) to[8 * j + 1] = pair.second;
        }
      }
    }
  }
#endif
};

/// Tiles in an order in which those at work together share rows of A and columns of B in L2: `raster` rows of tiles at a
/// time, column by column.
struct TileOrder {
  unsigned rows, columns;  ///< Of tiles.
  unsigned raster;

  struct Place {
    unsigned row, column;
  };
  __host__ __device__ unsigned count() const { return rows * columns; }
  __device__ Place place(unsigned tile) const {
    const unsigned first_row = tile / (raster * columns) * raster, in_band = tile % (raster * columns);
    const unsigned height = rows - first_row < raster ? rows - first_row : raster;
    return {first_row + in_band % height, in_band / height};
  }
};

}  // namespace
}  // namespace crosswarp::gpu
