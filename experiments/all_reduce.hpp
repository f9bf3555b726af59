// All-reduce: every rank gets the sum of all ranks' arrays. Bound by the link: each rank sends and receives 2 (r - 1) /
// r of its array; short arrays by the time of a flag from rank to rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/rank_arrays.hpp"

namespace crosswarp {

/// On each of r ranks: out[i] = the sum of all ranks' in[i], for i in 0 … n-1, in any order and grouping. In place, out
/// is in.
class AllReduce : public RankArrays {
 public:
  static constexpr std::string_view name = "all_reduce";
  static constexpr std::string_view summary = "on each rank, the sum of all ranks' arrays";

  /// Arrays of n elements, aligned to 16 bytes.
  template <class T>
  using Typed = RankSpans<T>;
  struct Args : RankArgs {};

  static std::vector<Axis> axes();
  static std::vector<TestPoint> test_points();
  static bool updates_inputs(const Point& point) { return is_in_place(point); }
  /// Bytes that each rank has to send and to receive: the rate is nccl-tests' bus bandwidth.
  static Cost cost(const Point& point);
  /// Two operations per element and rank: the generator's and the addition.
  static double check_cost(const Point& point) { return 2 * cost(point).accesses * static_cast<double>(ranks(point)); }
  /// Of all ranks.
  static std::size_t footprint(const Point& point);

  AllReduce(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  Args args(std::size_t set, std::size_t rank) const { return {RankArrays::args(set, rank)}; }

 private:
  static std::vector<RankArray> arrays(const Point& point);
};

extern template ExperimentEntry describe<AllReduce>();

}  // namespace crosswarp
