// GEMM of 16-bit floats, accumulated in float. Bound by the matrix units, and at large sizes by power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/reference_cache.hpp"
#include "experiments/matmul.hpp"

namespace crosswarp {

/// C = A·B, accumulated in float. Axes: `type`, IEEE binary16 or bfloat16; `layout`, B stored k × n (nn) or n × k (tn);
/// `out`, C in the inputs' type (same) or in float (f32). C = 0 for k = 0.
///
/// Inputs are random in (-1, 1), exact in their type; their products are exact in float. Every element is compared with
/// a float64 reference computed on the device (Device::reference_gemm), within bound_of_16_bits().
class MatmulF16 {
 public:
  static constexpr std::string_view name = "matmul_f16";
  static constexpr std::string_view summary =
      "GEMM: C = A·B of m x k and k x n matrices of 16-bit floats, accumulated in float";

  struct Args {
    // Device memory, row-major without gaps, aligned to 256 bytes.
    std::span<const std::uint16_t> a;  ///< m·k elements.
    std::span<const std::uint16_t> b;  ///< k·n elements; n × k if b_transposed.
    std::span<std::byte> c;            ///< m·n elements, poisoned.
    std::size_t m, n, k;
    bool bf16;          ///< Inputs are bfloat16, else IEEE binary16.
    bool b_transposed;  ///< b[j·k + l] is the element of row l and column j, else b[l·n + j].
    bool f32_out;       ///< C is float, else the inputs' type.

    /// C as elements of `T`: float if f32_out, else any 16-bit type.
    template <class T>
    T* c_as() const {
      return reinterpret_cast<T*>(c.data());
    }
    /// Equal for problems that differ in nothing but their arrays.
    auto key() const { return std::tuple(m, n, k, bf16, b_transposed, f32_out); }
  };

  static std::vector<Axis> axes();
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  /// `layout`: nn, tn; `type`: f16, bf16; `out`: same, f32.
  static Point point(const GemmShape& shape, const std::string& layout, const std::string& type,
                     const std::string& out);
  static Point point(const Args& args);
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static double check_cost(const Point& point) { return gemm_check_cost(shape_of(point)); }
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes) { return speed_over_library(outcomes); }

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
  /// As the inputs' type.
  TypedSpan typed(const Buffer<std::uint16_t>& matrix) const;
  TypedSpan result(std::size_t set) const;

  Device& device_;
  GemmShape shape_;
  bool is_bf16_, is_b_transposed_, is_f32_out_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<std::uint16_t>> a_, b_;
  std::vector<Buffer<std::byte>> c_;
  ReferenceCache references_;
  RowReferences general_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<MatmulF16>();

}  // namespace crosswarp
