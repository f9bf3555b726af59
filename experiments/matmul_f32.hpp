// The product of two matrices in float. Bound by the multiply-adds: two operations for each of m·n·k products, as soon
// as the tiles that are reused on chip are large enough.
#pragma once

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

/// C = A·B, all in float, without TF32: c[i·n + j] = a[i·k]·b[j] + … + a[i·k + k-1]·b[(k-1)·n + j], in any order; 0 for
/// k = 0.
///
/// Inputs are random in (-1, 1). Every element is held to a product in float64, which the device itself makes of them
/// (Device::reference_gemm), within what rounding in float may cost (bound_of_f32).
class MatmulF32 {
 public:
  static constexpr std::string_view name = "matmul_f32";
  static constexpr std::string_view summary = "C = A·B of m x k and k x n matrices in float, without TF32";

  struct Args {
    std::span<const float> a;  ///< Device memory: m·k elements, row-major, no gaps. Aligned to 256 bytes.
    std::span<const float> b;  ///< Device memory: k·n elements, likewise.
    std::span<float> c;        ///< Device memory: m·n elements, likewise; poisoned.
    std::size_t m, n, k;

    /// Equal for problems that differ in nothing but their arrays.
    auto key() const { return std::tuple(m, n, k); }
  };

  static std::vector<Axis> axes();
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Point point(const GemmShape& shape);
  static Point point(const Args& args);
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static double check_cost(const Point& point) { return gemm_check_cost(shape_of(point)); }
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes) { return speed_over_library(outcomes); }

  MatmulF32(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  MatmulF32(const MatmulF32&) = delete;
  MatmulF32& operator=(const MatmulF32&) = delete;

  Args args(std::size_t set) const {
    return {a_[set].span(), b_[set].span(), c_[set].span(), shape_.m, shape_.n, shape_.k};
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

  Device& device_;
  GemmShape shape_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<float>> a_, b_, c_;
  ReferenceCache references_;
  RowReferences general_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<MatmulF32>();

}  // namespace crosswarp
