// The sum of each row of a matrix. Bound by reading it once: 4 bytes from memory and one addition per element.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"
#include "core/reference_cache.hpp"

namespace crosswarp {

/// out[r] = in[r·n] + … + in[r·n + n-1] for each of m rows, in any order; 0 for n = 0.
///
/// Inputs are lattice numbers (core/random.hpp), whose sums over a row are exact in float in any order. So the oracle,
/// which the device computes from the generator (Device::reference_row_sums), is exact, the bound is 0, and every row
/// is checked: one element dropped, repeated or put into the neighbouring row is wrong.
class RowSum {
 public:
  static constexpr std::string_view name = "row_sum";
  static constexpr std::string_view summary = "the sum of each row of an m x n matrix";

  struct Args {
    std::span<const float> in;  ///< Device memory: m·n elements, row-major, no gaps. Aligned to a float only.
    std::size_t columns;        ///< n.
    std::span<float> out;       ///< Device memory: m elements, poisoned. Aligned to 16 bytes.

    std::size_t rows() const { return out.size(); }
  };

  /// Threads per block of the rungs that shared_use() counts.
  static constexpr unsigned block = 256;

  /// Accumulators of the rung `ilp` by default.
  static constexpr int ilp_default = 5;

  static std::vector<Axis> axes();
  static std::vector<Point> bench_points();
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Point point(std::int64_t m, std::int64_t n, std::int64_t offset = 0);
  static Cost cost(const Point& point);
  /// Two operations per element: the generator's and the addition.
  static double check_cost(const Point& point) { return 2 * cost(point).accesses; }
  static std::size_t footprint(const Point& point);

  /// Words of shared memory that a block reads and writes for one row.
  struct SharedUse {
    double reads = 0, writes = 0;
  };
  /// For the ladder's rungs, on warps of 32; null for others.
  static const SharedUse* shared_use(std::string_view rung);

  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  RowSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  RowSum(const RowSum&) = delete;
  RowSum& operator=(const RowSum&) = delete;

  Args args(std::size_t set) const { return {in_[set].span(), columns_, out_[set].span()}; }
  void release();
  void allocate();
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  bool refill_general(Distribution distribution, std::uint64_t draw);
  Errors errors(ResultIn) const { return general_.errors(device_, out_[0].span()); }

 private:
  Lattice elements(std::size_t set) const;

  Device& device_;
  std::size_t rows_, columns_, offset_;
  std::uint64_t seed_, generation_ = 0;
  std::vector<Buffer<float>> in_;
  std::vector<Buffer<float>> out_;
  ReferenceCache references_;
  RowReferences general_;  // of set 0 after refill_general()
};

extern template ExperimentEntry describe<RowSum>();

}  // namespace crosswarp
