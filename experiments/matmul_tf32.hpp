// GEMM of floats on matrix units: TF32, and 3xTF32 with nearly float's accuracy. Bound by the matrix units.
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

/// C = A·B in float, where A and B have rows along k (layout tn, which wgmma takes). Axis `precision`: what a product
/// may lose. `tf32`: operands keep 11 significant bits. `3xtf32`: each operand is a sum of two such numbers, and only
/// the product of the two lower ones is dropped. C = 0 for k = 0.
///
/// Inputs are random in (-1, 1), with all 24 bits. Every element is compared with a float64 reference computed on the
/// device, within MatmulTf32::bound().
class MatmulTf32 {
 public:
  static constexpr std::string_view name = "matmul_tf32";
  static constexpr std::string_view summary =
      "GEMM: C = A·B of m x k and n x k matrices of floats, multiplied as TF32 once or three times";

  struct Args {
    // Device memory, row-major without gaps, aligned to 256 bytes.
    std::span<const float> a;  ///< m·k elements.
    std::span<const float> b;  ///< n·k elements: b[j·k + l] is that of row l and column j.
    std::span<float> c;        ///< m·n elements, poisoned.
    std::size_t m, n, k;
    bool split;  ///< 3xTF32.

    /// Equal for problems that differ in nothing but their arrays.
    auto key() const { return std::tuple(m, n, k, split); }
  };

  /// Operands are cut (or rounded) to 11 bits, by less than 2^(e - 10) for a number from 2^e on, e ≤ -1. Cutting makes
  /// all products smaller, on average by 2^-10 · 2/3 of the sum; beside that the deviation of the error is below √k ·
  /// 2^-12, and eight of them are allowed. 3xTF32 loses 2^-10 times as much.
  ///
  /// Matrix units truncate sums, always in one direction, by up to 2^-23 of the partial sum for each four products:
  /// as in bound_of_16_bits(), for half as many at once, and with 3xTF32 three times as many.
  static ErrorBound bound(std::size_t k, bool split);

  static std::vector<Axis> axes();
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  /// `precision`: tf32, 3xtf32.
  static Point point(const GemmShape& shape, const std::string& precision);
  static Point point(const Args& args);
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static double check_cost(const Point& point) { return gemm_check_cost(shape_of(point)); }
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes) { return speed_over_library(outcomes); }

  MatmulTf32(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  MatmulTf32(const MatmulTf32&) = delete;
  MatmulTf32& operator=(const MatmulTf32&) = delete;

  Args args(std::size_t set) const {
    return {a_[set].span(), b_[set].span(), c_[set].span(), shape_.m, shape_.n, shape_.k, is_split_};
  }
  void release();
  void allocate();
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {c_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  bool refill_general(Distribution distribution, std::uint64_t draw);
  Errors errors(ResultIn) const { return general_.errors(device_, c_[0].span()); }

 private:
  void fill_inputs() const;
  Gemm gemm(std::size_t set) const;

  Device& device_;
  GemmShape shape_;
  bool is_split_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<float>> a_, b_, c_;
  ReferenceCache references_;
  RowReferences general_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<MatmulTf32>();

}  // namespace crosswarp
