// Statuses with notes for the variant's author.
#include "core/judgement.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/statistics.hpp"

namespace crosswarp {

void set_verdict(Result& result, Verdict verdict, const std::string& when) {
  result.verdict = std::move(verdict);
  result.status = result.verdict.ok ? Status::ok : Status::wrong;
  result.note = result.verdict.ok ? "" : when + result.verdict.where;
}

void fail(Result& result, const std::string& why) {
  result.status = Status::failed;
  result.note = why;
}

void skip(Result& result, const std::string& why) {
  result.status = Status::skipped;
  result.note = why;
}

void check_expectations(Result& result) {
  const std::vector<Expectation> expectations = result.cell.experiment->expectations(result.cell.point);
  if (expectations.empty()) return;
  std::string seen, missing;
  for (const Expectation& expected : expectations) {
    const auto value = result.counters ? (*result.counters)[expected.counter] : std::nullopt;
    if (!value) {
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", expected.counter);
      continue;
    }
    seen += fmt::format("{}{} {:.4g}", seen.empty() ? "" : ", ", expected.counter, *value);
    if (*value >= expected.least && *value <= expected.most) continue;
    result.status = Status::implausible;
    result.note = fmt::format("{} is {:.4g}, not {} {:.4g}: it measured something else", expected.counter, *value,
                              *value < expected.least ? "at least" : "at most",
                              *value < expected.least ? expected.least : expected.most);
    return;
  }
  if (!missing.empty())
    result.proof = fmt::format("unproven: {} not read{}", missing, result.counters ? "" : "; add --counters");
  else
    result.proof = "proven: " + seen;
}

void check_floor(Result& result, const Placements& floor) {
  const std::vector<double> empty = flatten(floor), own = flatten(result.measurement.seconds);
  if (result.status != Status::ok || empty.empty() || own.empty()) return;
  if (median_interval(own).high >= median_interval(empty).low) return;
  result.status = Status::implausible;
  result.note =
      fmt::format("faster than an empty launch ({:.3g} µs against {:.3g} µs): its work runs elsewhere, or not at all",
                  1e6 * median(own), 1e6 * median(empty));
}

}  // namespace crosswarp
