// The time of one load, by chasing pointers: each load's address is the result of the load before it. Bound by latency.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"
#include "core/format.hpp"
#include "core/random.hpp"
#include "experiments/latency_levels.hpp"

namespace crosswarp {

/// `steps` loads by one thread, over a random cycle of all slots of `stride` bytes that fit into `bytes`.
///
/// The first 8 bytes of a slot tell where the next one is. The thread begins at Args::first and notes, after every
/// `stretch` loads, where it stands; the sum of these places, and the last of them, must be right to the bit. (The last
/// one alone would not do: who stops a lap early ends in the same place.) The oracle is the permutation that made the
/// cycle, asked at those places only.
///
/// Warm-up is part of every launch, since caches may have been flushed: before the chase all threads of the block read
/// the slots that Args::warm_stride tells, in order, so that the chase finds what fits into a cache there, near its own
/// multiprocessor. That is every slot where the lines touched fill no more than twice the device's last cache (or
/// 64 MiB); beyond, one slot in 64 KiB, for address translation, since the chase is to miss the caches. What the chase
/// takes is measured inside the kernel. The launch's own time has the warm-up in it: 1 % near L1, up to 10 % near the
/// edge of L2 on an H200. `accesses` counts the chase's loads alone: the warm-up's are not dependent.
class MemoryLatency {
 public:
  static constexpr std::string_view name = "memory_latency";
  static constexpr std::string_view summary = "the time of one load that waits for the load before it";

  /// Loads between two notes of the place. Of every implementation the unrolled loop.
  static constexpr std::uint64_t stretch = 64;

  /// What a chase must leave. Places are bytes from the start of the chain.
  struct Chased {
    std::uint64_t end;    ///< Where it stands after all steps.
    std::uint64_t trail;  ///< The sum, mod 2^64, of where it stood after 64, 128, … steps.
    Elapsed elapsed;      ///< Of the chase alone. Fields that nobody can measure stay as they were.
  };
  static constexpr std::uint64_t not_measured = ~std::uint64_t{0};

  struct Args {
    /// Device memory, aligned to 256 bytes: the slots, one after the other. Each begins with 64 bits: where `space` is
    /// global or past_l1 the address of the next slot, elsewhere its offset in bytes from the first.
    std::span<const std::byte> chain;
    std::size_t stride;             ///< Bytes of a slot, a multiple of 8.
    std::size_t warm_stride;        ///< Bytes between slots that are to be read before the chase; a multiple of stride.
    std::uint64_t first;            ///< Offset of the slot where the chase begins.
    std::uint32_t steps;            ///< Loads, a multiple of `stretch`.
    std::span<Chased> out;          ///< Device memory, one element.
    std::span<std::uint32_t> each;  ///< Device memory: cycles of load i, where a variant times each. Else untouched.
  };

  static std::vector<Axis> axes() {
    const Axis bytes{.name = "bytes", .meaning = {}, .bench = {}};
    return {{.name = "space",
             .meaning = "memory that the chain lies in; past_l1: global, by loads that skip the nearest cache",
             .bench = {"global", "past_l1", "shared", "constant", "dsmem"},
             .allowed = {"global", "past_l1", "shared", "constant", "dsmem"}},
            {.name = "bytes",
             .meaning = "bytes of all slots together",
             .bench = parse_values(
                 bytes,
                 "2^12,2^14,48*2^10,96*2^10,2^17,144*2^10,160*2^10,176*2^10,192*2^10,208*2^10,"
                 "224*2^10,240*2^10,272*2^10,320*2^10,448*2^10,2^20,3*2^20,6*2^20,12*2^20,2^24,"
                 "20*2^20,24*2^20,28*2^20,2^25,40*2^20,48*2^20,56*2^20,2^26,2^27,192*2^20,320*2^20,2^29,2^32,2^33"),
             .least = 8,
             .most = std::int64_t{1} << 40},
            {.name = "stride",
             .meaning = "bytes of a slot",
             .bench = {std::int64_t{64}},
             .least = 8,
             .most = std::int64_t{1} << 32,
             .implied = std::int64_t{64}},
            {.name = "steps",
             .meaning = "loads in a launch",
             .bench = {std::int64_t{1} << 15},
             .least = stretch,
             .most = std::int64_t{1} << 30,
             .implied = std::int64_t{1} << 15}};
  }

  /// Whole slots, and stretches. Shared memory is chased within what any block may have, constant memory within what
  /// there is of it; loads past L1 where L1 could matter.
  static bool exists(const Point& point) {
    const std::string& space = point.word("space");
    const auto bytes = point.integer("bytes"), stride = point.integer("stride"), steps = point.integer("steps");
    if (stride % 8 != 0 || bytes < stride || steps % static_cast<std::int64_t>(stretch) != 0) return false;
    if (space == "shared" || space == "dsmem") return bytes <= 48 << 10;
    if (space == "constant") return bytes <= static_cast<std::int64_t>(most_constant);
    return space == "global" || bytes <= 1 << 20;
  }

  /// Bytes of constant memory that a kernel's file may declare: CUDA's limit.
  static constexpr std::size_t most_constant = 64 << 10;

  /// One slot, a few, a ragged end behind the last one; fewer steps than a lap, and many laps.
  static std::vector<TestPoint> test_points() {
    std::vector<TestPoint> points;
    const auto add = [&](const Value& space, std::int64_t bytes, std::int64_t stride, std::int64_t steps) {
      points.push_back({product(axes(), {{space}, {bytes}, {stride}, {steps}}).front(), false});
    };
    for (const char* space : {"global", "past_l1", "shared", "constant", "dsmem"}) {
      add(space, 8, 8, 64);
      add(space, 64, 64, 128);
      add(space, 200, 64, 192);
      add(space, 1 << 10, 8, 64);
      add(space, 10'007, 24, 1024);
      add(space, 32 << 10, 128, 4096);
    }
    for (const char* space : {"global", "past_l1"}) add(space, 300'011, 64, 1 << 13);
    add("global", 500'000, 128 << 10, 1 << 10);
    return points;
  }

  static Cost cost(const Point& point) {
    const auto steps = static_cast<double>(point.integer("steps"));
    return {.bytes_read = steps * sizeof(std::uint64_t),
            .bytes_written = sizeof(Chased),
            .accesses = steps,
            .rated = Quantity::accesses,
            .ceiling = ""};
  }

  static std::size_t footprint(const Point& point) {
    return static_cast<std::size_t>(point.integer("bytes")) +
           static_cast<std::size_t>(point.integer("steps")) * sizeof(std::uint32_t) + sizeof(Chased) +
           6 * Buffer<std::byte>::guard;
  }

  /// What holds of any load that is one of `space`: a footprint of 16 KiB, walked many times, is in the nearest cache
  /// of whatever has one; loads past it never are; and of 1 GiB, slot by slot, hardly anything is in any cache, so that
  /// every load brings at least a sector of 32 bytes from memory.
  static std::vector<Expectation> expectations(const Point& point) {
    const std::string& space = point.word("space");
    const auto bytes = point.integer("bytes"), stride = point.integer("stride"), steps = point.integer("steps");
    const bool many_laps = steps >= 32 * (bytes / stride);
    if (space == "global" && bytes <= 16 << 10 && many_laps) return {{.counter = "l1_hit_rate", .least = 95}};
    if (space == "past_l1") return {{.counter = "l1_hit_rate", .most = 5}};
    if (space == "global" && bytes >= 1 << 30 && stride <= 4096)
      return {{.counter = "dram_bytes_read", .least = 0.9 * 32 * static_cast<double>(steps)}};
    return {};
  }

  MemoryLatency(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device),
        stride_(static_cast<std::size_t>(point.integer("stride"))),
        slots_(static_cast<std::uint64_t>(point.integer("bytes")) / stride_),
        steps_(static_cast<std::uint32_t>(point.integer("steps"))),
        warm_stride_(warm_stride(slots_, stride_, device.info().cache)),
        seed_(seed),
        are_pointers_(point.word("space") == "global" || point.word("space") == "past_l1") {
    const auto bytes = static_cast<std::size_t>(point.integer("bytes"));
    for (std::size_t set = 0; set < sets; ++set) {
      chain_.emplace_back(device, bytes);
      if (!are_pointers_) chain_.back().fill(0);  // what lies between offsets is copied with them
      out_.emplace_back(device, 1);
      each_.emplace_back(device, steps_);
    }
    expected_.resize(sets);
  }

  void refill(std::uint64_t generation) {
    const std::uint64_t seed = generation_seed(seed_, generation);
    for (std::size_t set = 0; set < chain_.size(); ++set) {
      const Permutation order = Permutation(seed, set, slots_).starting_with(first_slot());
      const auto origin = are_pointers_ ? std::bit_cast<std::uint64_t>(chain_[set].span().data()) : 0;
      device_.chain(chain_[set].span(), stride_, order, origin);
      expected_[set] = expected(order, stride_, steps_);
    }
  }

  Args args(std::size_t set) const {
    return {chain_[set].span(), stride_,          warm_stride_, first_slot() * stride_, steps_,
            out_[set].span(),   each_[set].span()};
  }

  Memory outputs(std::size_t set) const { return {out_[set].bytes(), each_[set].bytes()}; }

  void poison() {
    for (auto& out : out_) out.poison();
    for (auto& each : each_) each.poison();
  }

  Verdict check(ResultIn) const {
    device_.synchronize();
    for (std::size_t set = 0; set < chain_.size(); ++set) {
      if (!chain_[set].guards_intact() || !out_[set].guards_intact() || !each_[set].guards_intact())
        return {.ok = false, .where = "a guard band beside the chain or an output was written to"};
      const Chased found = out_[set].read(0);
      const std::string of = " of chain " + std::to_string(set);
      if (found.end != expected_[set].end)
        return wrong("place after the last step" + of, found.end, expected_[set].end);
      if (found.trail != expected_[set].trail)
        return wrong("sum of places after each " + std::to_string(stretch) + " steps" + of, found.trail,
                     expected_[set].trail);
    }
    return {.ok = true, .error = 0, .bound = 0, .where = {}};
  }

  /// The median over all sets; nothing where the last variant has no clock.
  std::vector<Observation> observe() const {
    std::vector<double> cycles, nanoseconds, near, far, near_share;
    for (std::size_t set = 0; set < out_.size(); ++set) {
      const Elapsed elapsed = out_[set].read(0).elapsed;
      if (elapsed.cycles != not_measured) cycles.push_back(static_cast<double>(elapsed.cycles) / steps_);
      if (elapsed.nanoseconds != not_measured) nanoseconds.push_back(static_cast<double>(elapsed.nanoseconds) / steps_);
      if (each_[set].read(0) == ~std::uint32_t{0}) continue;
      const std::vector<std::uint32_t> each = each_[set].read();
      const TwoModes modes = two_modes({each.begin(), each.end()});
      near.push_back(modes.near);
      far.push_back(modes.far);
      near_share.push_back(100 * modes.near_share);
    }
    std::vector<Observation> all;
    const auto add = [&](const char* what, const char* unit, const std::vector<double>& values) {
      if (!values.empty()) all.push_back({what, unit, median(values)});
    };
    add("cycles_per_load", "cycle", cycles);
    add("ns_per_load", "ns", nanoseconds);
    add("near", "cycle", near);
    add("far", "cycle", far);
    add("near_share", "%", near_share);
    return all;
  }

  /// For each rung, space and stride: the levels of its curve, and where each one ends. In cycles where there is a
  /// clock of them, else in nanoseconds; a rung without any clock is taken by the time of its launches.
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes) {
    std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t>, std::vector<Outcome>> curves;
    for (const Outcome& outcome : outcomes)
      curves[{outcome.rung, outcome.point.word("space"), outcome.point.integer("stride"),
              outcome.point.integer("steps")}]
          .push_back(outcome);
    std::vector<std::string> lines;
    for (auto& [which, curve] : curves) {
      std::sort(curve.begin(), curve.end(), [](const Outcome& a, const Outcome& b) { return bytes(a) < bytes(b); });
      const auto& [rung, space, stride, steps] = which;
      const std::string title = rung + ", " + space + ", slots of " + std::to_string(stride) + " B";
      for (const std::string& line : describe_levels(curve)) lines.push_back(title + ": " + line);
      for (const std::string& line : describe_modes(curve)) lines.push_back(title + ": " + line);
    }
    return lines;
  }

 private:
  struct Expected {
    std::uint64_t end, trail;
  };

  static double bytes(const Outcome& outcome) { return static_cast<double>(outcome.point.integer("bytes")); }

  static Expected expected(const Permutation& order, std::size_t stride, std::uint64_t steps) {
    Expected result{0, 0};
    for (std::uint64_t step = stretch; step <= steps; step += stretch) {
      result.end = order(step % order.size) * stride;
      result.trail += result.end;
    }
    return result;
  }

  static Verdict wrong(const std::string& what, std::uint64_t is, std::uint64_t should_be) {
    return {.ok = false,
            .error = is > should_be ? static_cast<double>(is - should_be) : static_cast<double>(should_be - is),
            .bound = 0,
            .where = what + " is " + std::to_string(is) + ", should be " + std::to_string(should_be)};
  }

  static std::size_t warm_stride(std::uint64_t slots, std::size_t stride, std::size_t cache) {
    constexpr std::size_t line = 128, translated = 64 << 10;
    const std::size_t touched = slots * std::min(stride, line);
    if (touched <= std::max(2 * cache, std::size_t{64} << 20)) return stride;
    return (translated + stride - 1) / stride * stride;
  }

  static std::vector<std::string> describe_levels(const std::vector<Outcome>& curve) {
    const auto all_have = [&](const std::string& key) {
      return std::all_of(curve.begin(), curve.end(), [&](const Outcome& o) { return o.observed.contains(key); });
    };
    const bool in_cycles = all_have("cycles_per_load"), in_kernel = in_cycles || all_have("ns_per_load");
    std::vector<LatencyAt> latencies, in_ns;
    for (const Outcome& outcome : curve) {
      const double by_launch = outcome.seconds / outcome.cost.accesses * 1e9;
      const auto ns = outcome.observed.find("ns_per_load");
      in_ns.push_back({bytes(outcome), ns != outcome.observed.end() ? ns->second : by_launch});
      latencies.push_back({bytes(outcome), in_cycles ? outcome.observed.at("cycles_per_load") : in_ns.back().latency});
    }
    std::vector<std::string> lines;
    const std::vector<Level> levels = find_levels(latencies);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const Level& level = levels[i];
      std::vector<double> nanoseconds;
      for (std::size_t p = level.first; p <= level.last; ++p) nanoseconds.push_back(in_ns[p].latency);
      const std::string latency = in_cycles
                                      ? fixed(level.latency, 1) + " cycles (" + fixed(median(nanoseconds), 1) + " ns)"
                                      : fixed(level.latency, 2) + " ns";
      const std::string first = binary_bytes(latencies[level.first].bytes);
      const std::string range = level.last + 1 < curve.size()
                                    ? first + " to " + binary_bytes(latencies[level.last].bytes) + ", left by " +
                                          binary_bytes(latencies[level.last + 1].bytes)
                                    : "from " + first + " on";
      lines.push_back("level " + std::to_string(i + 1) + ": " + latency + " a load" +
                      (in_kernel ? "" : " by the launch's time") + ", " + range);
    }
    return lines;
  }

  /// Where single loads were timed: the points at which they are of two kinds.
  static std::vector<std::string> describe_modes(const std::vector<Outcome>& curve) {
    std::vector<std::string> lines;
    for (const Outcome& outcome : curve) {
      const auto& seen = outcome.observed;
      if (!seen.contains("near") || !seen.contains("far") || !seen.contains("near_share")) continue;
      const double near = seen.at("near"), far = seen.at("far"), share = seen.at("near_share");
      if (far < 1.1 * near || share < 10 || share > 90) continue;
      lines.push_back("at " + binary_bytes(bytes(outcome)) + " " + fixed(share, 0) + " % of the loads take about " +
                      fixed(near, 0) + " cycles, the others about " + fixed(far, 0));
    }
    return lines;
  }

  /// Where the chase begins, in all generations. Not at offset 0, where stretches of whole laps would add nothing to
  /// the sum.
  std::uint64_t first_slot() const { return slots_ > 1 ? 1 : 0; }

  Device& device_;
  std::size_t stride_;
  std::uint64_t slots_;
  std::uint32_t steps_;
  std::size_t warm_stride_;
  std::uint64_t seed_;
  bool are_pointers_;
  std::vector<Buffer<std::byte>> chain_;
  std::vector<Buffer<Chased>> out_;
  std::vector<Buffer<std::uint32_t>> each_;
  std::vector<Expected> expected_;
};

extern template ExperimentEntry describe<MemoryLatency>();

}  // namespace crosswarp
