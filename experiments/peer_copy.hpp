// Copy from rank to rank: bound by the link; small ones by the time until both queues have come, and know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/rank_arrays.hpp"

namespace crosswarp {

/// Ranks in a ring, each with `bytes` bytes for the next one. `ways` one: from rank 0 to 1, from 2 to 3 …, so that no
/// rank sends and receives; the last of an odd number does neither. `ways` both: every rank sends to the next and
/// receives from the one before at the same time; two ranks exchange their arrays.
class PeerCopy : public RankArrays {
 public:
  static constexpr std::string_view name = "peer_copy";
  static constexpr std::string_view summary = "copy from one rank's memory to the next rank's";

  static constexpr std::size_t nobody = most_ranks;

  /// Arrays of n floats, aligned to 16 bytes; a rank that does not send has no input, one that does not receive no
  /// output.
  struct Args : RankArgs {
    std::size_t from, to;  ///< Ranks: whose input becomes this rank's output, and whose output its input; or `nobody`.
    const RankSpans<float>& f32() const { return std::get<RankSpans<float>>(typed); }
  };

  static std::vector<Axis> axes();
  static bool exists(const Point& point) { return point.integer("bytes") % 4 == 0; }
  static std::vector<TestPoint> test_points();
  /// Bytes in one direction: the rate is that of each way, as in nvbandwidth and nccl-tests.
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);

  PeerCopy(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  Args args(std::size_t set, std::size_t rank) const;

 private:
  static std::vector<std::size_t> targets(const Point& point);
  static std::size_t size(const Point& point);
  static std::vector<RankArray> arrays(const Point& point);

  std::vector<std::size_t> targets_;  // by rank
};

extern template ExperimentEntry describe<PeerCopy>();

}  // namespace crosswarp
