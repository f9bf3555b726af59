// Load latency by pointer chasing: each load's address is the result of the load before it. Bound by latency.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// `steps` dependent loads by one thread, over a cycle of slots of `stride` bytes in `bytes` bytes, in random or
/// ascending `order`.
///
/// The first 8 bytes of a slot point to the next one. The thread begins at Args::first and adds up its position after
/// every `stretch` loads. This checksum and the last position must be right to the bit. (The last position alone is not
/// enough: a chase that stops a lap early ends at the same one.) The oracle evaluates the permutation behind the cycle
/// at these positions only.
///
/// The number of slots is odd, one fewer than fit where that is even. So it is coprime to `stretch`, and the checksum's
/// positions visit all slots. Were it a divisor of `stretch`, each of them would be the first slot, and a kernel that
/// loads nothing would pass.
///
/// Warm-up is part of every launch, since caches may have been flushed. Before the chase all threads of the block read
/// one slot every Args::warm_stride bytes, in order, so that the chase finds in a cache whatever fits there, near its
/// own multiprocessor. That is every slot where the touched lines fill at most twice the device's last cache (or
/// 64 MiB). Of larger chains, which are to miss the caches, it is one slot in 64 KiB, to warm address translation.
///
/// The kernel times the chase itself. The launch's own time includes the warm-up: 1 % near L1, up to 10 % near the edge
/// of L2 on an H200. `accesses` counts the chase's loads only: the warm-up's are not dependent.
class MemoryLatency {
 public:
  static constexpr std::string_view name = "memory_latency";
  static constexpr std::string_view summary = "time of one load that waits for the load before it";

  /// Loads between two positions of the checksum: the unrolled loop of every implementation. A power of two.
  static constexpr std::uint64_t stretch = 64;

  /// Result of a chase. Positions are bytes from the start of the chain.
  struct Chased {
    std::uint64_t end;       ///< Position after all steps.
    std::uint64_t checksum;  ///< Sum of the positions after `stretch`, 2·`stretch`, … steps, mod 2^64.
    Elapsed elapsed;         ///< Time of the chase alone. Fields without a clock stay as they were.
  };
  static constexpr std::uint64_t not_measured = ~std::uint64_t{0};

  struct Args {
    /// Device memory, aligned to 256 bytes: contiguous slots. Each begins with 64 bits: the address of the next slot
    /// where `space` is global or past_l1, elsewhere its offset in bytes from the first slot.
    std::span<const std::byte> chain;
    std::size_t stride;             ///< Bytes of a slot, a multiple of 8.
    std::size_t warm_stride;        ///< Bytes between slots to read before the chase; a multiple of stride.
    std::uint64_t first;            ///< Position of the first slot of the chase.
    std::uint32_t steps;            ///< Loads, a multiple of `stretch`.
    std::span<Chased> out;          ///< Device memory, one element.
    std::span<std::uint32_t> each;  ///< Device memory: cycles of load i, for variants that time each load.
  };

  /// Max bytes of constant memory in a kernel's file: CUDA's limit.
  static constexpr std::size_t most_constant = 64 << 10;

  static std::vector<Axis> axes();
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static std::vector<Expectation> expectations(const Point& point);
  /// The levels of each rung's latency curve by space and stride, in cycles where the kernel read a cycle counter, else
  /// in nanoseconds: by its timer, else by launches of two lengths, else of the launch's time. And the points with two
  /// modes of latency.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  MemoryLatency(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  /// Args::steps is half; the warm-up is the same.
  void shorten(bool is_shorter) { taken_ = is_shorter ? 1 : 0; }
  Args args(std::size_t set) const;
  Memory outputs(std::size_t set) const { return {out_[set].bytes(), each_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  /// Medians over all sets; empty where the last variant had no clock.
  std::vector<Observation> observe() const;

 private:
  struct Expected {
    std::uint64_t end, checksum;
  };

  static Expected expected(const Permutation& order, std::size_t stride, std::uint64_t steps);

  /// First slot of the chase, in all generations. Not slot 0, so that a kernel must use Args::first.
  std::uint64_t first_slot() const { return slots_ > 1 ? 1 : 0; }

  Device& device_;
  std::size_t stride_;
  std::uint64_t slots_;
  std::array<std::uint32_t, 2> steps_;  // all, fewer
  std::size_t taken_ = 0;               // index of these
  std::size_t warm_stride_;
  std::uint64_t seed_;
  bool are_pointers_, is_ascending_;
  std::vector<Buffer<std::byte>> chain_;
  std::vector<Buffer<Chased>> out_;
  std::vector<Buffer<std::uint32_t>> each_;
  std::vector<std::array<Expected, 2>> expected_;
};

extern template ExperimentEntry describe<MemoryLatency>();

}  // namespace crosswarp
