// Operands and output of a 16-bit GEMM: bounds-checked access where a tile is ragged, dispatch by type and layout.
#pragma once

#include <cstdint>

#include "backends/cuda/device/mma.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// A row-major matrix of 16-bit elements, at a multiple of 16 bytes. Coordinates have 32 bits, offsets 64.
struct Operand {
  const std::uint16_t* data;
  unsigned rows, columns;
  unsigned pitch;  ///< Elements from one row to the next. Where is_aligned(), zeros fill a row's last 16 bytes.

  /// Rows begin at multiples of 16 bytes.
  __host__ __device__ bool is_aligned() const { return pitch % 8 == 0; }

  /// Zero outside.
  __device__ std::uint16_t element(unsigned row, unsigned column) const {
    return row < rows && column < columns ? data[std::size_t{row} * pitch + column] : std::uint16_t{0};
  }

  /// Eight elements of a row, from a multiple of eight on; zeros outside.
  __device__ uint4 chunk(unsigned row, unsigned column) const {
    if (is_aligned())
      return row < rows && column < columns ? *reinterpret_cast<const uint4*>(data + std::size_t{row} * pitch + column)
                                            : uint4{};
    const auto pair = [&](unsigned first) { return element(row, first) | unsigned{element(row, first + 1)} << 16; };
    return {pair(column), pair(column + 2), pair(column + 4), pair(column + 6)};
  }
};

/// A as m x k; B as k x n, or n x k if it is transposed.
struct Operands {
  Operand a, b;

  bool are_aligned() const { return a.is_aligned() && b.is_aligned(); }
};

}  // namespace CROSSWARP_PLATFORM

namespace {

__device__ inline float widened(Half value) { return half_value(value); }
__device__ inline float widened(Bfloat16 value) { return to_float(value); }

/// A dimension in 32 bits, with room for the tile in which it ends.
inline unsigned extent(std::size_t size) {
  if (size > 0x7fff'0000) throw Error("dimensions of this product must be less than 2^31");
  return static_cast<unsigned>(size);
}

/// A matrix without gaps.
inline Operand dense(std::span<const std::uint16_t> matrix, std::size_t rows, std::size_t columns) {
  return {matrix.data(), extent(rows), extent(columns), extent(columns)};
}
inline Operand operand_a(const MatmulF16::Args& args) { return dense(args.a, args.m, args.k); }
inline Operand operand_b(const MatmulF16::Args& args) {
  return args.b_transposed ? dense(args.b, args.n, args.k) : dense(args.b, args.k, args.n);
}

inline Operands operands(const MatmulF16::Args& args) { return {operand_a(args), operand_b(args)}; }

/// Whether the rows of A and B begin at multiples of 16 bytes, as TMA requires.
inline bool has_aligned_rows(const Point& point) {
  return point.integer("k") % 8 == 0 && (point.word("layout") == "tn" || point.integer("n") % 8 == 0);
}

/// Whether the product is empty. Then C is complete: zeros where k = 0.
inline bool finish_if_empty(const Queue& queue, const MatmulF16::Args& args) {
  if (args.k == 0) clear(queue, args.c);
  return args.m == 0 || args.n == 0 || args.k == 0;
}

/// Calls `use` for the operands' type and layout: `[&]<bool bf16, bool b_transposed>()`.
template <class Use>
void with_operand_types(const MatmulF16::Args& args, Use&& use) {
  if (args.bf16)
    args.b_transposed ? use.template operator()<true, true>() : use.template operator()<true, false>();
  else
    args.b_transposed ? use.template operator()<false, true>() : use.template operator()<false, false>();
}

/// C, or split-K's partial sums of it: takes float accumulators, stores its own type.
struct Output {
  void* data;
  unsigned rows, columns;
  bool is_f32, is_bf16;

  explicit Output(const MatmulF16::Args& args)
      : data(args.c.data()), rows(extent(args.m)), columns(extent(args.n)), is_f32(args.f32_out), is_bf16(args.bf16) {}

  /// A matrix of floats of the same shape, at `workspace`.
  Output partial_sums(void* workspace) const {
    Output floats = *this;
    floats.data = workspace;
    floats.is_f32 = true;
    return floats;
  }
  /// The matrix of floats that lies `elements` further.
  __device__ Output offset(std::size_t elements) const {
    Output behind = *this;
    behind.data = static_cast<float*>(data) + elements;
    return behind;
  }

  __device__ void store_at(std::size_t i, float sum) const {
    if (is_f32)
      static_cast<float*>(data)[i] = sum;
    else
      static_cast<std::uint16_t*>(data)[i] = is_bf16 ? to_bfloat16(sum).bits : to_half(sum).bits;
  }
  __device__ void store(unsigned row, unsigned column, float sum) const {
    if (row < rows && column < columns) store_at(std::size_t{row} * columns + column, sum);
  }

#if CROSSWARP_HAS_PTX
  /// Two elements of a 16-bit output, rounded.
  template <bool bf16>
  __device__ static std::uint32_t packed(float first, float second) {
    std::uint32_t both;
    if constexpr (bf16)
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    else
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
  }

  /// Stores a warp's accumulators of mma.m16n8 or wgmma: 16 rows of 2·`count` columns, in registers as
  /// crosswarp::gpu::store_fragment() has them.
  template <bool bf16, unsigned count>
  __device__ void store_fragment(unsigned first_row, unsigned first_column, const float (&accumulators)[count]) const {
    if (is_f32)
      store_pairs<float>(first_row, first_column, accumulators, [](float first, float second) {
        return Pair<float>{first, second};
      });
    else
      store_pairs<std::uint16_t>(first_row, first_column, accumulators,
                                 [](float first, float second) -> Pair<std::uint16_t> {
                                   return __builtin_bit_cast(Pair<std::uint16_t>, packed<bf16>(first, second));
                                 });
  }

 private:
  /// A pair is one store where the pitch is even.
  template <class Element, unsigned count, class Convert>
  __device__ void store_pairs(unsigned first_row, unsigned first_column, const float (&accumulators)[count],
                              Convert convert) const {
    const unsigned lane = threadIdx.x % warp_size(), column = first_column + lane % 4 * 2;
    const unsigned left = column < columns ? columns - column : 0;
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const unsigned row = first_row + lane / 4 + 8 * h;
      if (row >= rows) continue;
      Element* const to = static_cast<Element*>(data) + std::size_t{row} * columns + column;
      if (columns % 2 == 0) {
#pragma unroll
        for (unsigned j = 0; j < count / 4; ++j)
          if (8 * j < left)
            *reinterpret_cast<Pair<Element>*>(to + 8 * j) =
                convert(accumulators[4 * j + 2 * h], accumulators[4 * j + 2 * h + 1]);
      } else {
#pragma unroll
        for (unsigned j = 0; j < count / 4; ++j) {
          const Pair<Element> pair = convert(accumulators[4 * j + 2 * h], accumulators[4 * j + 2 * h + 1]);
          if (8 * j < left) to[8 * j] = pair.first;
          if (8 * j + 1 < left) to[8 * j + 1] = pair.second;
        }
      }
    }
  }
#endif
};

}  // namespace
}  // namespace crosswarp::gpu
