// Axes, costs, oracle and findings of memory_latency. Host code only, so kernels do not include it.
#include "experiments/memory_latency.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "core/format.hpp"
#include "core/statistics.hpp"
#include "experiments/latency_levels.hpp"

namespace crosswarp {
namespace {

static_assert(std::has_single_bit(MemoryLatency::stretch));  // coprime to any odd number of slots

/// The largest odd number of slots that fit.
std::uint64_t slot_count(const Point& point) {
  const auto fit = static_cast<std::uint64_t>(point.integer("bytes") / point.integer("stride"));
  return fit % 2 != 0 ? fit : fit - 1;
}

/// Half, in whole stretches; 0 where that is none.
std::int64_t shorter_steps(const Point& point) {
  constexpr auto stretch = static_cast<std::int64_t>(MemoryLatency::stretch);
  return point.integer("steps") / 2 / stretch * stretch;
}

std::size_t warm_stride(std::uint64_t slots, std::size_t stride, std::size_t cache) {
  constexpr std::size_t line = 128, translated = 64 << 10;
  const std::size_t touched = slots * std::min(stride, line);
  if (touched <= std::max(2 * cache, std::size_t{64} << 20)) return stride;
  return (translated + stride - 1) / stride * stride;
}

Verdict wrong(const std::string& what, std::uint64_t is, std::uint64_t should_be) {
  return {.ok = false,
          .error = is > should_be ? static_cast<double>(is - should_be) : static_cast<double>(should_be - is),
          .bound = 0,
          .where = what + " is " + std::to_string(is) + ", should be " + std::to_string(should_be)};
}

double bytes(const Outcome& outcome) { return static_cast<double>(outcome.point.integer("bytes")); }

/// Results from before the axis have none.
std::string order_of(const Outcome& outcome) {
  for (const auto& c : outcome.point.coordinates())
    if (c.axis == "order") return to_string(c.value);
  return "random";
}

/// The chain that a curve is of, and what a finding says of it.
Finding start(const char* kind, const Outcome& first, const std::string& text) {
  return {kind,
          (order_of(first) == "random" ? "{rung}, {space}, slots of {stride} B: "
                                       : "{rung}, {space}, slots of {stride} B, ascending: ") +
              text,
          {{"rung", first.rung}, {"space", first.point.word("space")}, {"stride", first.point.integer("stride")}}};
}

std::vector<Finding> levels_of(const std::vector<Outcome>& curve) {
  const auto all_have = [&](const std::string& key) {
    return std::all_of(curve.begin(), curve.end(), [&](const Outcome& o) { return o.observed.contains(key); });
  };
  const bool in_cycles = all_have("cycles_per_load"), in_kernel = in_cycles || all_have("ns_per_load");
  const char* by = in_kernel                            ? ""
                   : all_have(std::string(ns_per_step)) ? " of launches of two lengths"
                                                        : " by the launch's time";
  std::vector<LatencyAt> latencies, in_ns;
  for (const Outcome& outcome : curve) {
    const double by_launch = outcome.seconds / outcome.cost.accesses * 1e9;
    const auto or_else = [&](std::string_view name, double otherwise) {
      const auto found = outcome.observed.find(std::string(name));
      return found == outcome.observed.end() ? otherwise : found->second;
    };
    in_ns.push_back({bytes(outcome), or_else("ns_per_load", or_else(ns_per_step, by_launch))});
    latencies.push_back({bytes(outcome), in_cycles ? outcome.observed.at("cycles_per_load") : in_ns.back().latency});
  }
  std::vector<Finding> all;
  const std::vector<Level> levels = find_levels(latencies);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    std::vector<double> nanoseconds;
    for (std::size_t p = level.first; p <= level.last; ++p) nanoseconds.push_back(in_ns[p].latency);
    const bool ends = level.last + 1 < curve.size();
    Finding& found = all.emplace_back(
        start("latency_level", curve.front(),
              std::string("level {level}: ") + (in_cycles ? "{cycles:.1f} cycles ({ns:.1f} ns)" : "{ns:.2f} ns") +
                  " per load" + by + (ends ? ", {first} to {last}, ends before {end}" : ", {first} and up")));
    found.values.emplace_back("level", i + 1);
    if (in_cycles) found.values.emplace_back("cycles", level.latency, "cycles");
    found.values.emplace_back("ns", in_cycles ? median(nanoseconds) : level.latency, "ns");
    found.values.emplace_back("first", latencies[level.first].bytes, "B");
    if (!ends) continue;
    found.values.emplace_back("last", latencies[level.last].bytes, "B");
    found.values.emplace_back("end", latencies[level.last + 1].bytes, "B");
  }
  return all;
}

/// The points where single loads were timed and have two modes.
std::vector<Finding> modes_of(const std::vector<Outcome>& curve) {
  std::vector<Finding> all;
  for (const Outcome& outcome : curve) {
    const auto& seen = outcome.observed;
    if (!seen.contains("near") || !seen.contains("far") || !seen.contains("near_share")) continue;
    const double near = seen.at("near"), far = seen.at("far"), share = seen.at("near_share");
    if (far < 1.1 * near || share < 10 || share > 90) continue;
    Finding& found = all.emplace_back(start(
        "two_modes", outcome,
        "two modes at {bytes}: {share:.0f} % of the loads take {near:.0f} cycles (median), the others {far:.0f}"));
    found.values.emplace_back("bytes", bytes(outcome), "B");
    found.values.emplace_back("share", share, "percent");
    found.values.emplace_back("near", near, "cycles");
    found.values.emplace_back("far", far, "cycles");
  }
  return all;
}

}  // namespace

std::vector<Axis> MemoryLatency::axes() {
  const Axis bytes{.name = "bytes", .meaning = {}, .bench = {}};
  return {{.name = "space",
           .meaning = "memory that holds the chain; past_l1: global, by loads that bypass the nearest cache",
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
           .most = std::int64_t{1} << 40,
           .random = RandomRange{.least = 1 << 12, .most = std::int64_t{1} << 33, .multiple = 64}},
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
           .implied = std::int64_t{1} << 15},
          {.name = "order",
           .meaning = "order of the slots: random, or ascending, which a prefetcher could follow",
           .bench = {"random"},
           .allowed = {"random", "ascending"},
           .implied = "random"}};
}

/// Whole slots and whole stretches. Shared memory: sizes that any block may have; constant memory: up to its size;
/// loads past L1: sizes where L1 could matter.
bool MemoryLatency::exists(const Point& point) {
  const std::string& space = point.word("space");
  const auto bytes = point.integer("bytes"), stride = point.integer("stride"), steps = point.integer("steps");
  if (stride % 8 != 0 || bytes < stride || steps % static_cast<std::int64_t>(stretch) != 0) return false;
  if (space == "shared" || space == "dsmem") return bytes <= 48 << 10;
  if (space == "constant") return bytes <= static_cast<std::int64_t>(most_constant);
  return space == "global" || bytes <= 1 << 20;
}

std::vector<Point> MemoryLatency::headline_points() {
  std::vector<Point> points;
  for (const int log_bytes : {26, 29, 32})
    points.push_back(point_with(axes(), {{"bytes", std::int64_t{1} << log_bytes}}));
  return points;
}

/// One slot, a few slots, a ragged end behind the last one; less than a lap, and many laps.
std::vector<TestPoint> MemoryLatency::test_points() {
  std::vector<TestPoint> points;
  const auto add = [&](const Value& space, std::int64_t bytes, std::int64_t stride, std::int64_t steps,
                       const char* order = "random") {
    points.push_back({product(axes(), {{space}, {bytes}, {stride}, {steps}, {order}}).front(), false});
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
  add("global", 10'007, 24, 1024, "ascending");
  return points;
}

Cost MemoryLatency::cost(const Point& point) {
  const auto steps = static_cast<double>(point.integer("steps"));
  return {.bytes_read = steps * sizeof(std::uint64_t),
          .bytes_written = sizeof(Chased),
          .accesses = steps,
          .left_out = shorter_steps(point) > 0 ? steps - static_cast<double>(shorter_steps(point)) : 0,
          .rated = Quantity::accesses,
          .ceiling = ""};
}

std::size_t MemoryLatency::footprint(const Point& point) {
  return static_cast<std::size_t>(point.integer("bytes")) +
         static_cast<std::size_t>(point.integer("steps")) * sizeof(std::uint32_t) + sizeof(Chased) +
         6 * Buffer<std::byte>::guard;
}

/// Global: a footprint of 16 KiB hits the nearest cache after a few laps, on any device that has one. past_l1: no load
/// hits it. From 1 GiB on hardly any random load hits any cache, so each reads at least a sector of 32 bytes from
/// memory; ascending ones share sectors.
std::vector<Expectation> MemoryLatency::expectations(const Point& point) {
  const std::string& space = point.word("space");
  const auto bytes = point.integer("bytes"), stride = point.integer("stride"), steps = point.integer("steps");
  const bool many_laps = steps >= 32 * (bytes / stride);
  if (space == "global" && bytes <= 16 << 10 && many_laps) return {{.counter = "l1_hit_rate", .least = 95}};
  if (space == "past_l1") return {{.counter = "l1_hit_rate", .most = 5}};
  if (space == "global" && bytes >= 1 << 30 && stride <= 4096) {
    const std::int64_t each = point.word("order") == "random" ? 32 : std::min<std::int64_t>(stride, 32);
    return {{.counter = "dram_bytes_read", .least = 0.9 * static_cast<double>(each * steps)}};
  }
  return {};
}

MemoryLatency::MemoryLatency(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      stride_(static_cast<std::size_t>(point.integer("stride"))),
      slots_(slot_count(point)),
      steps_{static_cast<std::uint32_t>(point.integer("steps")), static_cast<std::uint32_t>(shorter_steps(point))},
      warm_stride_(warm_stride(slots_, stride_, device.info().cache)),
      seed_(seed),
      are_pointers_(point.word("space") == "global" || point.word("space") == "past_l1"),
      is_ascending_(point.word("order") == "ascending") {
  const std::size_t ragged_end = static_cast<std::size_t>(point.integer("bytes")) % stride_;
  for (std::size_t set = 0; set < sets; ++set) {
    chain_.emplace_back(device, slots_ * stride_ + ragged_end);
    if (!are_pointers_) chain_.back().fill(0);  // bytes between the offsets are copied with them
    out_.emplace_back(device, 1);
    each_.emplace_back(device, steps_[0]);
  }
  expected_.resize(sets);
}

void MemoryLatency::refill(std::uint64_t generation) {
  const std::uint64_t seed = generation_seed(seed_, generation);
  for (std::size_t set = 0; set < chain_.size(); ++set) {
    const Permutation order =
        (is_ascending_ ? Permutation::ascending(slots_) : Permutation(seed, set, slots_)).starting_with(first_slot());
    const auto origin = are_pointers_ ? std::bit_cast<std::uint64_t>(chain_[set].span().data()) : 0;
    device_.chain(chain_[set].span(), stride_, order, origin);
    expected_[set] = {expected(order, stride_, steps_[0]), expected(order, stride_, steps_[1])};
  }
}

MemoryLatency::Expected MemoryLatency::expected(const Permutation& order, std::size_t stride, std::uint64_t steps) {
  Expected result{0, 0};
  for (std::uint64_t step = stretch; step <= steps; step += stretch) {
    result.end = order(step % order.size) * stride;
    result.checksum += result.end;
  }
  return result;
}

MemoryLatency::Args MemoryLatency::args(std::size_t set) const {
  return {chain_[set].span(), stride_,          warm_stride_,     first_slot() * stride_,
          steps_[taken_],     out_[set].span(), each_[set].span()};
}

void MemoryLatency::poison() {
  for (auto& out : out_) out.poison();
  for (auto& each : each_) each.poison();
}

Verdict MemoryLatency::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(chain_, out_, each_))
    return {.ok = false, .where = "a guard band beside the chain or an output was written to"};
  for (std::size_t set = 0; set < chain_.size(); ++set) {
    const Chased found = out_[set].read(0);
    const Expected& expected = expected_[set][taken_];
    const std::string of = " of chain " + std::to_string(set);
    if (found.end != expected.end) return wrong("position after the last step" + of, found.end, expected.end);
    if (found.checksum != expected.checksum)
      return wrong("sum of positions after each " + std::to_string(stretch) + " steps" + of, found.checksum,
                   expected.checksum);
  }
  return {.ok = true, .error = 0, .bound = 0, .where = {}};
}

std::vector<Observation> MemoryLatency::observe() const {
  std::vector<double> cycles, nanoseconds, near, far, near_share;
  for (std::size_t set = 0; set < out_.size(); ++set) {
    const Elapsed elapsed = out_[set].read(0).elapsed;
    if (elapsed.cycles != not_measured) cycles.push_back(static_cast<double>(elapsed.cycles) / steps_[0]);
    if (elapsed.nanoseconds != not_measured)
      nanoseconds.push_back(static_cast<double>(elapsed.nanoseconds) / steps_[0]);
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

std::vector<Finding> MemoryLatency::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::string>, std::vector<Outcome>> curves;
  for (const Outcome& outcome : outcomes)
    curves[{outcome.rung, outcome.point.word("space"), outcome.point.integer("stride"), outcome.point.integer("steps"),
            order_of(outcome)}]
        .push_back(outcome);
  std::vector<Finding> all;
  for (auto& [key, curve] : curves) {
    std::sort(curve.begin(), curve.end(), [](const Outcome& a, const Outcome& b) { return bytes(a) < bytes(b); });
    for (Finding& level : levels_of(curve)) all.push_back(std::move(level));
    for (Finding& modes : modes_of(curve)) all.push_back(std::move(modes));
  }
  return all;
}

template ExperimentEntry describe<MemoryLatency>();

}  // namespace crosswarp
