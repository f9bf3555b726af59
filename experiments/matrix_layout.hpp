// The sum of each row of a matrix that is stored by rows or by columns. Bound by memory where the lanes of a warp read
// neighbours, else by the sectors of which they use 4 bytes each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"
#include "core/reference_cache.hpp"

namespace crosswarp {

/// Which of a matrix's lines are contiguous: rows (row-major, Kokkos's LayoutRight) or columns (column-major,
/// LayoutLeft).
enum class MatrixOrder { right, left };

/// out[r] = the sum of in(r, c) for all columns c, in any order. Each loop over rows and columns is written once, for
/// both orders: what changes is where in(r, c) lies.
///
/// Inputs are lattice numbers (core/random.hpp), whose sums over a row are exact in float in any order. So the oracle,
/// which the device computes from the generator (Device::reference_row_sums), is exact, the bound is 0, and every row
/// is checked: one element dropped, repeated or taken from where the other order has it is wrong.
class MatrixLayout {
 public:
  static constexpr std::string_view name = "matrix_layout";
  static constexpr std::string_view summary = "what it costs to store a matrix by rows or by columns";

  struct Args {
    MatrixOrder order;
    std::span<const float> in;  ///< Device memory: rows · columns elements, no gaps, aligned to 256 bytes.
    std::size_t columns;
    std::span<float> out;  ///< Device memory: an element for each row, poisoned.

    std::size_t rows() const { return out.size(); }
    std::size_t row_stride() const { return order == MatrixOrder::right ? columns : 1; }
    std::size_t column_stride() const { return order == MatrixOrder::right ? 1 : rows(); }
  };

  static std::vector<Axis> axes();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  /// Two operations per element: the generator's and the addition.
  static double check_cost(const Point& point) { return 2 * cost(point).accesses; }
  static std::size_t footprint(const Point& point);
  /// Each rung's time by columns over its time by rows.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  MatrixLayout(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  MatrixLayout(const MatrixLayout&) = delete;
  MatrixLayout& operator=(const MatrixLayout&) = delete;

  Args args(std::size_t set) const { return {order_, in_[set].span(), columns_, out_[set].span()}; }
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;

 private:
  Lattice elements(std::size_t set) const;

  Device& device_;
  MatrixOrder order_;
  std::size_t rows_, columns_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<float>> in_;
  std::vector<Buffer<float>> out_;
  ReferenceCache references_;
};

extern template ExperimentEntry describe<MatrixLayout>();

}  // namespace crosswarp
