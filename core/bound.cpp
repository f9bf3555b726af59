// Roofline of measured ceilings; far below it, hardware counters.
#include "core/bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace crosswarp {
namespace {

constexpr double near = 0.8;
constexpr double launch_share = 0.5;  // a launch costs more than an empty one
constexpr double max_floor = 1.1;     // times the time: slower empty launches were disturbed, or are no part of it
constexpr double busy = 80;           // % of its peak: a unit that limits
constexpr double idle = 50;           // % of its peak: a unit that does not
// % of one slice's atomic unit in use. Additions of floats to one address keep it busy for a third of the time at most
// (H200: one addition in three cycles of L2, for any kernel).
constexpr double contended = 30;

struct Ceiling {
  std::string name;
  const char* peak;
  double seconds;  // least time
  double near;     // the share of a time from which it is the limit
};

/// The unit that works closest to its peak.
struct Unit {
  const char* name;
  double percent;
};

std::optional<Unit> busiest(const Counters& counters) {
  std::optional<Unit> most;
  for (const auto& [name, counter] : {std::pair{"DRAM", "dram_throughput"},
                                      {"L2", "l2_throughput"},
                                      {"L1", "l1_throughput"},
                                      {"the multiprocessors", "sm_throughput"}})
    if (const auto percent = counters[counter]; percent && (!most || *percent > most->percent)) most = {name, *percent};
  return most;
}

/// The longest stall of warps, and its share of the cycles between two instructions.
std::optional<std::pair<std::string, double>> longest_stall(const Counters& counters) {
  double all = 0, longest = 0;
  std::string name;
  for (const Count& count : counters.counts) {
    if (count.counter->group != "stalls" || !count.value) continue;
    all += *count.value;
    const bool stalls = count.counter->name != "stall_selected";
    if (stalls && *count.value > longest) {
      longest = *count.value;
      name = count.counter->meaning;
    }
  }
  if (name.empty()) return {};
  return std::pair{name, longest / all};
}

/// Explains a time far from every ceiling by its counters; empty if they explain nothing.
std::string explanation(const Result& result, const Counters& counters) {
  const auto unit = busiest(counters);
  if (unit && unit->percent >= busy) {
    const double moved = counters["dram_bytes_read"].value_or(0) + counters["dram_bytes_written"].value_or(0);
    const double needed = result.cost.bytes_read + result.cost.bytes_written;
    const bool moves_more = unit->name == std::string_view("DRAM") && needed > 0 && moved > 1.1 * needed;
    return fmt::format("{} at {:.0f} % of peak{}", unit->name, unit->percent,
                       moves_more ? fmt::format(", moving {:.2f} × what the problem needs", moved / needed) : "");
  }
  // Atomics on one address serialise: a single slice of L2 is at its limit, L2 on average is idle.
  const auto atomics = counters["l2_atomic_unit"];
  if (atomics && *atomics >= contended && unit && unit->percent < idle)
    return fmt::format("atomics on few addresses: one L2 slice's atomic unit at {:.0f} %, {} at {:.0f} %", *atomics,
                       unit->name, unit->percent);
  std::string latency;
  const auto stall = longest_stall(counters);
  if (!unit && !stall) return "";  // a unit may be busy, for all that is known
  if (stall) latency = fmt::format("{:.0f} % of a warp's time {}", 100 * stall->second, stall->first);
  if (const auto occupancy = counters["achieved_occupancy"])
    latency += fmt::format("{}{:.0f} % occupancy", latency.empty() ? "" : ", ", *occupancy);
  return latency.empty() ? "" : "latency: " + latency;
}

/// The ceilings of a time, in the order: part that the cost names, compute, launch.
std::array<Ceiling, 3> ceilings_of(const Result& result) {
  const auto at_least = [](double work, double rate) { return rate > 0 ? work / rate : 0; };
  const bool measured = result.measured_peak > 0;
  const double peak = measured ? result.measured_peak : result.device.peak(result.cost.ceiling);
  const bool held_to_memory = result.cost.ceiling == "memory";
  return {Ceiling{std::string(result.cost.ceiling), measured ? "of measured peak" : "of theoretical peak",
                  at_least(result.cost.amount(), peak), near},
          Ceiling{"compute", "of theoretical peak",
                  held_to_memory ? at_least(result.cost.flops, result.device.peak("f32")) : 0, near},
          Ceiling{"launch", "of the time is an empty launch",
                  result.floor <= max_floor * result.time().value_or(0) ? result.floor : 0, launch_share}};
}

}  // namespace

std::string bound_name(const Result& result) {
  const auto time = result.time();
  if (!time || *time <= 0) return "";
  const auto ceilings = ceilings_of(result);
  const auto nearest = std::ranges::max_element(ceilings, {}, &Ceiling::seconds);
  if (nearest->seconds >= nearest->near * *time) return nearest->name;
  const std::string& declared = result.cell.variant->bound_by;
  return declared.empty() ? "latency or contention" : declared;
}

std::optional<BoundInWords> bound_in_words(const Result& result) {
  const auto time = result.time();
  if (!time || *time <= 0) return {};
  const auto ceilings = ceilings_of(result);
  const Ceiling& nearest = *std::ranges::max_element(ceilings, {}, &Ceiling::seconds);
  if (nearest.seconds == 0) return BoundInWords{"unknown: no ceiling was measured", {}};
  const std::string counted = result.counters ? explanation(result, *result.counters) : "";
  // Without a ceiling, and far from the launch, only counters explain it.
  if (result.cost.ceiling.empty() && &nearest == &ceilings.back() && nearest.seconds < launch_share * *time)
    return BoundInWords{counted.empty() ? "unknown: no ceiling for what it counts" : counted, {}};
  const double share = nearest.seconds / *time;
  // A cache can lift a result above this one.
  const bool is_memory = result.cost.ceiling == "memory" && &nearest == &ceilings.front();
  const std::string ceiling =
      fmt::format("{}: {:.0f} % {}", nearest.name, 100 * (is_memory ? share : std::min(share, 1.0)), nearest.peak);
  if (is_memory && share > 1) return BoundInWords{ceiling + ", out of the cache", {}};
  if (is_above_measured_peak(result))
    return BoundInWords{
        fmt::format("{}: {:.0f} % of measured peak, above it: measure it again by bench devices --measure",
                    nearest.name, 100 * *result.of_measured_peak()),
        {}};
  const double gain = std::max(1.0, 1 / share);
  const std::string at_most = fmt::format("; at most {:.2f} × to gain", gain);
  if (share >= nearest.near) return BoundInWords{ceiling + at_most, gain};
  const std::string_view words =
      counted.empty() ? "latency or contention: far from every ceiling" : std::string_view(counted);
  return BoundInWords{fmt::format("{} ({}){}", words, ceiling, at_most), gain};
}

}  // namespace crosswarp
