// Operands and output of an 8-bit GEMM on any GPU: bounds-checked access, scaling, dispatch by type.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "core/float8.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

/// A row-major matrix of 8-bit elements without gaps, rows along k. Coordinates have 32 bits, offsets 64.
struct Matrix8 {
  const std::uint8_t* data;
  unsigned rows, columns;

  /// Rows begin at multiples of 16 bytes.
  __host__ __device__ bool is_aligned() const { return columns % 16 == 0; }

  /// Zero outside.
  __device__ std::uint8_t element(unsigned row, unsigned column) const {
    return row < rows && column < columns ? data[std::size_t{row} * columns + column] : std::uint8_t{0};
  }
};

/// s of C = s·A·B.
struct Scale {
  const float* factors;  ///< A's, and MatmulF8::factor_pitch further B's; or null for 1.

  __device__ float value() const { return factors ? factors[0] * factors[MatmulF8::factor_pitch] : 1; }
};

/// C: takes sums, stores them scaled in its own type.
struct ScaledOutput {
  void* data;
  unsigned rows, columns;
  bool is_f32;
  Scale scale;

  /// Split-K's partial sums are added by what calls this.
  __device__ void store_at(std::size_t i, float sum) const { store_at(i, sum, scale.value()); }
  __device__ void store_at(std::size_t i, float sum, float factor) const {
    if (is_f32)
      static_cast<float*>(data)[i] = factor * sum;
    else
      static_cast<Bfloat16*>(data)[i] = to_bfloat16(factor * sum);
  }
  __device__ void store(unsigned row, unsigned column, float sum, float factor) const {
    if (row < rows && column < columns) store_at(std::size_t{row} * columns + column, sum, factor);
  }
};

/// Stores four neighbouring elements, scaled, from a multiple of four on.
__device__ inline void store_quad(const ScaledOutput& c, std::size_t i, const float4& sums) {
  const float factor = c.scale.value();
  const auto bits = [factor](float sum) -> unsigned { return to_bfloat16(factor * sum).bits; };
  if (c.is_f32)
    *reinterpret_cast<float4*>(static_cast<float*>(c.data) + i) =
        float4{factor * sums.x, factor * sums.y, factor * sums.z, factor * sums.w};
  else
    *reinterpret_cast<uint2*>(static_cast<Bfloat16*>(c.data) + i) =
        uint2{bits(sums.x) | bits(sums.y) << 16, bits(sums.z) | bits(sums.w) << 16};
}

}  // namespace CROSSWARP_PLATFORM

namespace {

/// A dimension in 32 bits, with room for the tile in which it ends.
inline unsigned extent_of(std::size_t size) {
  if (size > 0x7fff'0000) throw Error("dimensions of this product must be less than 2^31");
  return static_cast<unsigned>(size);
}

inline Matrix8 matrix_a(const MatmulF8::Args& args) { return {args.a.data(), extent_of(args.m), extent_of(args.k)}; }
inline Matrix8 matrix_b(const MatmulF8::Args& args) { return {args.b.data(), extent_of(args.n), extent_of(args.k)}; }
inline Scale scale_of(const MatmulF8::Args& args) { return {args.scales.empty() ? nullptr : args.scales.data()}; }
inline ScaledOutput scaled_output(const MatmulF8::Args& args) {
  return {args.c.data(), extent_of(args.m), extent_of(args.n), args.f32_out, scale_of(args)};
}

/// Whether the rows of A and B begin at multiples of 16 bytes, as TMA requires.
inline bool has_rows_of_16_bytes(const Point& point) { return point.integer("k") % 16 == 0; }

/// Whether the product is empty. Then C is complete: zeros where k = 0.
inline bool finish_if_empty(const Queue& queue, const MatmulF8::Args& args) {
  if (args.k == 0) clear(queue, args.c);
  return args.m == 0 || args.n == 0 || args.k == 0;
}

/// Calls `use` with the type of A: `[&]<class A>()`.
template <class Use>
void with_type_of_a(const MatmulF8::Args& args, Use&& use) {
  args.e5m2 ? use.template operator()<E5m2>() : use.template operator()<E4m3>();
}

}  // namespace
}  // namespace crosswarp::gpu
