// Latency of access to another rank's memory: each access waits for the one before. Bound by the way over the link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"
#include "core/ranks.hpp"

namespace crosswarp {

/// `steps` accesses by one thread of rank 0 to the memory of the last rank, one after the other:
///
/// - load: a pointer chase over a cycle of slots of `stride` bytes in `bytes` bytes, in random order. Loads must not be
///   served by a cache of rank 0's device.
/// - atomic: the same chase; an atomic operation at each slot returns the next one, and leaves it as it is.
/// - store: a 64-bit word, then a fence that waits until every device sees it; step i stores value(i) to words[i].
/// - flag: round trips. Rank 0 stores a token to the last rank, which waits for it and stores reply(token) back, which
///   rank 0 waits for and sends in the next step. Each store is a release, each wait an acquire.
///
/// Positions and tokens of every `stretch` steps are added up: a step that is left out shows.
///
/// Rank 0 times the steps alone. The launch's own time includes two barriers of ranks and, for chases, one read of
/// every slot by rank 0, so that address translation is warm. `accesses` are the steps.
class PeerLatency {
 public:
  static constexpr std::string_view name = "peer_latency";
  static constexpr std::string_view summary =
      "time of one access to another rank's memory that waits for the one before";

  enum class Op { load, store, atomic, flag };
  /// Steps between two that are added up.
  static constexpr std::uint32_t stretch = 16;
  static constexpr std::size_t stride = 128;
  static constexpr std::uint64_t not_measured = ~std::uint64_t{0};

  struct Taken {
    std::uint64_t end;       ///< Of a chase, the position in bytes; of round trips, the token. Of stores, 0.
    std::uint64_t checksum;  ///< Sum of these after `stretch`, 2·`stretch`, … steps, mod 2^64. Of stores, 0.
    Elapsed elapsed;         ///< Of the steps alone. Fields without a clock stay as they were.
  };

  struct Args {
    Op op;
    std::size_t rank, ranks;         ///< Ranks between the first and the last only take part in barriers.
    std::uint32_t steps;             ///< A multiple of `stretch`.
    std::span<std::byte> chain;      ///< The last rank's: slots that begin with the 64-bit offset of the next one.
    std::uint64_t first;             ///< Offset of the chase's first slot.
    std::uint64_t key;               ///< Of values and replies; the first token is its low half.
    std::span<std::uint64_t> words;  ///< The last rank's, `steps` of them.
    std::span<Taken> out;            ///< Rank 0's, one element.
  };

  static constexpr std::uint64_t value(std::uint64_t key, std::uint64_t i) { return (key + i) * 0x9e3779b97f4a7c15u; }
  static constexpr std::uint32_t reply(std::uint64_t key, std::uint32_t token) {
    return token * 1664525u + static_cast<std::uint32_t>(key >> 32);
  }

  // For Variant::applies.
  static bool is_load(const Point& point) { return point.word("op") == "load"; }
  static bool is_store(const Point& point) { return point.word("op") == "store"; }
  static bool is_atomic(const Point& point) { return point.word("op") == "atomic"; }
  static bool is_flag(const Point& point) { return point.word("op") == "flag"; }

  static std::vector<Axis> axes();
  /// Sizes of a chain matter to chases alone.
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::size_t ranks(const Point& point) { return static_cast<std::size_t>(point.integer("ranks")); }
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);

  PeerLatency(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  /// Args::steps is half.
  void shorten(bool is_shorter) { is_shorter_ = is_shorter; }
  Args args(std::size_t set, std::size_t rank) const;
  Memory outputs(std::size_t set, std::size_t rank) const;
  void poison();
  Verdict check(ResultIn) const;
  /// Medians over all sets; empty where the last variant had no clock.
  std::vector<Observation> observe() const;

 private:
  struct Expected {
    std::uint64_t end = 0, checksum = 0;
  };
  Expected expected(std::size_t set) const;
  std::uint32_t steps() const { return is_shorter_ ? steps_ / 2 / stretch * stretch : steps_; }
  std::uint64_t key(std::size_t set) const;
  Permutation order(std::size_t set) const;
  std::size_t last() const { return device_.ranks() - 1; }

  Device& device_;
  Op op_;
  std::uint64_t slots_;
  std::uint32_t steps_;
  bool is_shorter_ = false;
  std::uint64_t seed_, generation_seed_ = 0;
  std::vector<Buffer<std::byte>> chain_;      // on the last rank
  std::vector<Buffer<std::uint64_t>> words_;  // on the last rank
  std::vector<Buffer<Taken>> out_;            // on rank 0
};

extern template ExperimentEntry describe<PeerLatency>();

}  // namespace crosswarp
