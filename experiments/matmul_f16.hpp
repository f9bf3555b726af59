// The product of two matrices of 16-bit floats, summed in float. Bound by the matrix units, and by the power that they
// draw, as soon as tiles come fast enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/reference_cache.hpp"
#include "experiments/matmul.hpp"

namespace crosswarp {

/// C = A·B with sums in float: of IEEE binary16 or bfloat16 (axis `type`), B stored k × n or, transposed, n × k (axis
/// `layout`: nn, tn), C written in the inputs' type or in float (axis `out`: same, f32). 0 for k = 0.
///
/// Inputs are random in (-1, 1), exact in their type; so are their products in float. Every element is held to a
/// product in float64, which the device itself makes of them (Device::reference_gemm), within what adding in float and
/// writing in the output's type may cost (bound_of_16_bits).
class MatmulF16 {
 public:
  static constexpr std::string_view name = "matmul_f16";
  static constexpr std::string_view summary = "C = A·B of m x k and k x n matrices of 16-bit floats, summed in float";

  struct Args {
    std::span<const std::uint16_t> a;  ///< Device memory: m·k elements, row-major, no gaps. Aligned to 256 bytes.
    std::span<const std::uint16_t> b;  ///< Device memory: k·n elements, row-major, n × k where b_transposed; likewise.
    std::span<std::byte> c;            ///< Device memory: m·n elements, row-major; likewise, poisoned.
    std::size_t m, n, k;
    bool bf16;          ///< Inputs are bfloat16, else IEEE binary16.
    bool b_transposed;  ///< b[j·k + l] is the element of row l and column j, else b[l·n + j].
    bool f32_out;       ///< C is of float, else of the inputs' type.

    /// C as elements of `T`: float where f32_out, else std::uint16_t or any type of 16 bits.
    template <class T>
    T* c_as() const {
      return reinterpret_cast<T*>(c.data());
    }
  };

  static std::vector<Axis> axes();
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  /// `layout`: nn, tn; `type`: f16, bf16; `out`: same, f32.
  static Point point(const ProductShape& shape, const std::string& layout, const std::string& type,
                     const std::string& out);
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static double check_cost(const Point& point) { return product_check_cost(shape_of(point)); }
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes) { return library_factors(outcomes); }

  MatmulF16(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  MatmulF16(const MatmulF16&) = delete;
  MatmulF16& operator=(const MatmulF16&) = delete;

  Args args(std::size_t set) const {
    return {a_[set].span(), b_[set].span(), c_[set].span(),   shape_.m,   shape_.n,
            shape_.k,       is_bf16_,       is_b_transposed_, is_f32_out_};
  }
  void release();
  void allocate();
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {c_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  bool refill_general(Distribution distribution, std::uint64_t draw);
  Errors errors(ResultIn) const { return general_.errors(device_, result(0)); }

 private:
  void fill_inputs() const;
  /// Of the inputs' type.
  TypedSpan typed(const Buffer<std::uint16_t>& matrix) const;
  TypedSpan result(std::size_t set) const;

  Device& device_;
  ProductShape shape_;
  bool is_bf16_, is_b_transposed_, is_f32_out_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<std::uint16_t>> a_, b_;
  std::vector<Buffer<std::byte>> c_;
  ReferenceCache references_;
  RowReferences general_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<MatmulF16>();

}  // namespace crosswarp
