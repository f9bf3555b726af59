// All-gather: every rank gets all ranks' arrays, one behind the other. Bound by the link: each rank sends and receives
// r - 1 arrays; short arrays by the time of a flag from rank to rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/rank_arrays.hpp"

namespace crosswarp {

/// On each of r ranks: out[p · n + i] = rank p's in[i], for all p < r and i < n. In place, a rank's input is its own
/// part of its output.
class AllGather : public RankArrays {
 public:
  static constexpr std::string_view name = "all_gather";
  static constexpr std::string_view summary = "on each rank, all ranks' arrays";

  /// Inputs of n elements, outputs of r · n. Outputs are aligned to 16 bytes, the part of a rank to n elements.
  template <class T>
  using Typed = RankSpans<T>;
  struct Args : RankArgs {};

  static std::vector<Axis> axes();
  static std::vector<TestPoint> test_points();
  /// Bytes that each rank has to send and to receive: the rate is nccl-tests' bus bandwidth.
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);

  AllGather(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  Args args(std::size_t set, std::size_t rank) const { return {RankArrays::args(set, rank)}; }

 private:
  static std::vector<RankArray> arrays(const Point& point);
};

extern template ExperimentEntry describe<AllGather>();

}  // namespace crosswarp
