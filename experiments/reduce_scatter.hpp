// Reduce-scatter: every rank gets its part of the sum of all ranks' arrays. Bound by the link: each rank sends and
// receives r - 1 parts; short ones by the time of a flag from rank to rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/rank_arrays.hpp"

namespace crosswarp {

/// On rank p of r: out[i] = the sum of all ranks' in[p · n + i], for i < n, in any order and grouping. In place, a
/// rank's output is its own part of its input; what becomes of the other parts is open.
class ReduceScatter : public RankArrays {
 public:
  static constexpr std::string_view name = "reduce_scatter";
  static constexpr std::string_view summary = "on each rank, its part of the sum of all ranks' arrays";

  /// Inputs of r · n elements, outputs of n. Inputs are aligned to 16 bytes, the part of a rank to n elements.
  template <class T>
  using Typed = RankSpans<T>;
  struct Args : RankArgs {};

  static std::vector<Axis> axes();
  static std::vector<TestPoint> test_points();
  static bool updates_inputs(const Point& point) { return is_in_place(point); }
  /// Bytes that each rank has to send and to receive: the rate is nccl-tests' bus bandwidth.
  static Cost cost(const Point& point);
  /// Two operations per term: the generator's and the addition.
  static double check_cost(const Point& point) { return 2 * cost(point).accesses * static_cast<double>(ranks(point)); }
  static std::size_t footprint(const Point& point);

  ReduceScatter(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  Args args(std::size_t set, std::size_t rank) const { return {RankArrays::args(set, rank)}; }

 private:
  static std::vector<RankArray> arrays(const Point& point);
};

extern template ExperimentEntry describe<ReduceScatter>();

}  // namespace crosswarp
