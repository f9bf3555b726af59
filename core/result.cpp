// Rates, limits and comparisons; none for a cell that is not ok.
#include "core/result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/noise.hpp"
#include "core/verdicts.hpp"

namespace crosswarp {

Phases& Phases::operator+=(const Phases& other) {
  preparing += other.preparing;
  verifying += other.verifying;
  timing += other.timing;
  return *this;
}

std::string to_string(Mode mode) { return mode == Mode::cold ? "cold" : mode == Mode::hot ? "hot" : "single"; }

std::string to_string(LaunchBy launch_by) { return launch_by == LaunchBy::stream ? "stream" : "graph"; }

std::string to_string(Mode mode, LaunchBy launch_by) {
  return to_string(mode) + (launch_by == LaunchBy::stream ? "" : "/" + to_string(launch_by));
}

std::string to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::wrong:
      return "wrong";
    case Status::skipped:
      return "skipped";
    case Status::failed:
      return "failed";
    case Status::implausible:
      return "implausible";
  }
  return {};
}

std::string Result::label() const {
  return status == Status::ok || note.empty() ? to_string(status) : to_string(status) + ": " + note;
}

std::optional<double> Result::time() const {
  if (status != Status::ok || measurement.seconds.empty()) return {};
  return location(measurement.seconds);
}

std::optional<double> Result::bytes_per_second() const {
  if (const auto t = time()) return (cost.bytes_read + cost.bytes_written) / *t;
  return {};
}

std::optional<double> Result::flops_per_second() const {
  if (const auto t = time()) return cost.flops / *t;
  return {};
}

std::optional<double> Result::rate() const {
  if (const auto t = time()) return cost.amount() / *t;
  return {};
}

std::optional<double> Result::of_measured_peak() const {
  if (const auto r = rate(); r && measured_peak > 0) return *r / measured_peak;
  return {};
}

std::optional<double> Result::of_theoretical_peak() const {
  if (const auto r = rate(); r && theoretical_peak() > 0) return *r / theoretical_peak();
  return {};
}

Placements Result::step_seconds() const {
  Placements steps;
  if (status != Status::ok || cost.left_out <= 0) return steps;
  const Placements &full = measurement.seconds, &shorter = measurement.shorter;
  for (std::size_t p = 0; p < std::min(full.size(), shorter.size()); ++p) {
    std::vector<double>& of_placement = steps.emplace_back();
    for (std::size_t i = 0; i < std::min(full[p].size(), shorter[p].size()); ++i)
      of_placement.push_back((full[p][i] - shorter[p][i]) / cost.left_out);
  }
  return steps;
}

std::optional<double> Result::step_time() const {
  const double seconds = location(step_seconds());
  return seconds > 0 ? std::optional(seconds) : std::nullopt;  // noise may exceed the difference of short launches
}

std::optional<double> Result::access_time() const {
  const auto r = rate();
  if (!r || cost.rated != Quantity::accesses) return {};
  const auto by_the_kernel = std::ranges::find(observed, "ns_per_load", &Observation::name);
  return by_the_kernel == observed.end() ? step_time().value_or(1 / *r) : by_the_kernel->value * 1e-9;
}

std::size_t Result::ranks() const {
  const std::size_t ranks = cell.experiment->ranks(cell.point);
  return ranks > 1 ? ranks : 0;
}

std::optional<double> Result::algorithm_bandwidth() const {
  if (const auto t = time(); t && cost.message > 0) return cost.message / *t;
  return {};
}

std::optional<double> Result::bus_bandwidth() const { return cost.message > 0 ? bytes_per_second() : std::nullopt; }

std::optional<double> Result::percentile(int percent) const {
  const std::size_t least = percent < 50 ? 100 / percent : 100 / (100 - percent);  // one beyond it
  if (status != Status::ok || measurement.single.size() < least) return {};
  return quantile(measurement.single, percent / 100.0);
}

namespace {

std::optional<double> per_joule(const Result& result, double amount) {
  if (result.status != Status::ok || !result.energy || result.energy->joules <= 0 || amount <= 0) return {};
  return amount / result.energy->joules;
}

}  // namespace

std::optional<double> Result::flops_per_joule() const { return per_joule(*this, cost.flops); }
std::optional<double> Result::bytes_per_joule() const { return per_joule(*this, cost.bytes_read + cost.bytes_written); }

std::string throttled(const Result& result) {
  const std::string& why = result.measurement.after.throttle;
  return is_by_power_or_heat(why) ? why : "";
}

bool is_above_measured_peak(const Result& result) {
  constexpr double repeatable = 1.01;  // a peak, measured twice
  return result.cost.ceiling != "memory" && result.of_measured_peak().value_or(0) > repeatable;
}

double least_time(const DeviceInfo& device, const Cost& cost, double footprint, std::size_t sets, Mode mode) {
  const double peak = device.peak(cost.ceiling);
  if (peak == 0) return 0;
  if (cost.ceiling != "memory") return cost.amount() / peak;
  const auto cache = static_cast<double>(device.cache);
  const double bytes = cost.bytes_read + cost.bytes_written;
  // Data in the cache at the start (hot), or left there at the end (written), needs no memory traffic.
  const double from_memory =
      mode == Mode::hot ? std::max(0.0, footprint - cache) / std::max(footprint, 1.0) * bytes
                        : cost.bytes_read + std::max(0.0, cost.bytes_written - cache / static_cast<double>(sets));
  const double memory_time = from_memory / peak;
  const double cache_time = device.peak("l2") > 0 ? bytes / device.peak("l2") : 0;
  return std::max(memory_time, cache_time);
}

std::vector<Outcome> outcomes(const std::vector<Result>& results) {
  std::vector<Outcome> all;
  for (const Result& r : results) {
    if (!r.time() || !r.cell.half.empty()) continue;
    all.push_back({r.cell.rung(), r.cell.point, *r.time(), r.cost, {}});
    for (const Observation& o : r.observed) all.back().observed[o.name] = o.value;
    if (const auto step = r.step_time()) all.back().observed[std::string(ns_per_step)] = *step * 1e9;
  }
  return all;
}

std::string why_no_ratio(const Result& a, const Result& b) {
  const int own = a.execution.threads, other = b.execution.threads;
  if (own == 0 || other == 0 || own == other) return {};
  return fmt::format("{} thread{} against {}", own, own == 1 ? "" : "s", other);
}

Ratio time_ratio(const Result& numerator, const Result& denominator, bool same_run) {
  const Placements &above = numerator.measurement.seconds, &below = denominator.measurement.seconds;
  Ratio ratio =
      same_run && same_rounds(numerator, denominator) ? paired_ratio(above, below) : location_ratio(above, below);
  ratio.noisy = !noise(numerator).empty() || !noise(denominator).empty();
  return ratio;
}

void compare(std::vector<Result>& results, const std::vector<std::string>& backends) {
  std::vector<Result*> pointers;
  for (Result& r : results) pointers.push_back(&r);
  compare(pointers, backends, always_same_run);
}

}  // namespace crosswarp
