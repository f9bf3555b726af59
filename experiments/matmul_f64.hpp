// GEMM of doubles. Bound by the multiply-adds: on GPUs with double-precision matrix units, by those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "experiments/matmul.hpp"

namespace crosswarp {

/// C = A·B, all in double: c[i·n + j] = a[i·k]·b[j] + … + a[i·k + k-1]·b[(k-1)·n + j], in any order; 0 for k = 0.
///
/// Inputs are random in [-1, 1], with all 53 bits. Every element is compared with a product in double that the device
/// makes of them (Device::reference_gemm), within what rounding may cost both (MatmulF64::bound).
class MatmulF64 {
 public:
  static constexpr std::string_view name = "matmul_f64";
  static constexpr std::string_view summary = "GEMM: C = A·B of m x k and k x n matrices of doubles";

  struct Args {
    // Device memory, row-major without gaps, aligned to 256 bytes.
    std::span<const double> a;  ///< m·k elements.
    std::span<const double> b;  ///< k·n elements.
    std::span<double> c;        ///< m·n elements, poisoned.
    std::size_t m, n, k;

    /// Equal for problems that differ in nothing but their arrays.
    auto key() const { return std::tuple(m, n, k); }
  };

  /// As bound_of_f32() with u = 2^-53, √2 times (rounded up): the reference is rounded as well, in another order. Sums
  /// in float are beyond it at every k.
  static ErrorBound bound(std::size_t k);

  static std::vector<Axis> axes() { return shape_axes(); }
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Point point(const GemmShape& shape);
  static Point point(const Args& args);
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static double check_cost(const Point& point) { return gemm_check_cost(shape_of(point)); }
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes) { return speed_over_library(outcomes); }

  MatmulF64(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  MatmulF64(const MatmulF64&) = delete;
  MatmulF64& operator=(const MatmulF64&) = delete;

  Args args(std::size_t set) const {
    return {a_[set].span(), b_[set].span(), c_[set].span(), shape_.m, shape_.n, shape_.k};
  }
  void release();
  void allocate();
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {c_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;

 private:
  Device& device_;
  GemmShape shape_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<double>> a_, b_, c_;
  std::map<std::uint64_t, std::vector<Buffer<double>>> references_;  // of each set, by generation
};

extern template ExperimentEntry describe<MatmulF64>();

}  // namespace crosswarp
