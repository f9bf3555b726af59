// Atomic additions from many threads to few addresses. Bound by the unit that executes them one by one: in L2 for
// global memory, in the multiprocessor for shared memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// counters[a] = the number of additions i = 0 … atomics-1 with i mod addresses = a; each adds 1. The rungs do one
/// atomic per addition, or one for what a warp or a block has counted. All have one result, so that the cost of a
/// reduction's atomics shows without the reduction.
class AtomicContention {
 public:
  static constexpr std::string_view name = "atomic_contention";
  static constexpr std::string_view summary = "atomic additions to few addresses";

  struct Args {
    /// Device memory, poisoned; as many as addresses.
    std::variant<std::span<std::uint32_t>, std::span<float>> counters;
    std::size_t atomics;
    unsigned blocks;  ///< Over which they are spread.
    bool in_shared;   ///< Each block counts in its shared memory, and adds that to `counters` at the end.

    std::size_t addresses() const {
      return std::visit([](const auto& c) { return c.size(); }, counters);
    }
  };

  // For Variant::applies.
  static bool is_global(const Point& point) { return point.word("scope") == "global"; }
  static bool is_global_on_one(const Point& point) { return is_global(point) && point.integer("addresses") == 1; }

  static std::vector<Axis> axes();
  /// A float counts to 2^24 only.
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);

  /// The time per addition: the slope between the fewest and the most additions at otherwise equal points, without
  /// launches and without clearing the counters.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  AtomicContention(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  AtomicContention(const AtomicContention&) = delete;
  AtomicContention& operator=(const AtomicContention&) = delete;

  Args args(std::size_t set) const;
  Memory outputs(std::size_t set) const;
  void poison();
  Verdict check(ResultIn) const;

 private:
  template <class T>
  void check(const Buffer<T>& counters, Verdict& worst) const;

  Device& device_;
  std::int64_t atomics_;
  unsigned blocks_;
  bool in_shared_;
  std::vector<std::variant<Buffer<std::uint32_t>, Buffer<float>>> counters_;
};

extern template ExperimentEntry describe<AtomicContention>();

}  // namespace crosswarp
