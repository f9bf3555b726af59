// Points, costs, oracle and findings of atomic_contention.
#include "experiments/atomic_contention.hpp"

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace crosswarp {
namespace {

/// Additions to `address`.
std::int64_t expected(std::int64_t atomics, std::int64_t addresses, std::int64_t address) {
  return (atomics - address + addresses - 1) / addresses;
}

}  // namespace

std::vector<Axis> AtomicContention::axes() {
  return {
      {.name = "atomics",
       .meaning = "additions",
       .bench = {std::int64_t{1} << 16, std::int64_t{1} << 20},
       .least = 1,
       .most = std::int64_t{1} << 31,
       .random = RandomRange{.least = 1 << 10, .most = 1 << 22}},
      {.name = "blocks", .meaning = "blocks", .bench = {std::int64_t{256}}, .least = 1, .most = std::int64_t{1} << 20},
      {.name = "addresses",
       .meaning = "counters, which the additions take in turn",
       .bench = {std::int64_t{1}, std::int64_t{1024}},
       .least = 1,
       .most = 1024,
       .random = RandomRange{.most = 1024}},
      {.name = "type",
       .meaning = "type of the counters",
       .bench = {"u32", "f32"},
       .allowed = {"u32", "f32"},
       .random = RandomRange()},
      {.name = "scope",
       .meaning = "memory of the counters: global, or each block's shared memory",
       .bench = {"global", "shared"},
       .allowed = {"global", "shared"},
       .random = RandomRange()}};
}

bool AtomicContention::exists(const Point& point) {
  return point.word("type") == "u32" || expected(point.integer("atomics"), point.integer("addresses"), 0) <= 1 << 24;
}

std::vector<Point> AtomicContention::headline_points() { return {point_with(axes(), {{"type", "f32"}})}; }

std::vector<TestPoint> AtomicContention::test_points() {
  std::vector<TestPoint> points;
  const std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> shapes{
      {1, 1, 1},   {33, 1, 1},    {1000, 3, 1},   {5003, 7, 5},      {5003, 40, 1},
      {64, 64, 1}, {777, 2, 100}, {100, 1, 1024}, {20'011, 9, 1024}, {3, 5, 2}};
  for (const auto& [atomics, blocks, addresses] : shapes)
    for (const std::string type : {"u32", "f32"})
      for (const std::string scope : {"global", "shared"})
        points.push_back({product(axes(), {{atomics}, {blocks}, {addresses}, {type}, {scope}}).front()});
  return points;
}

Cost AtomicContention::cost(const Point& point) {
  return {.accesses = static_cast<double>(point.integer("atomics")), .rated = Quantity::accesses, .ceiling = ""};
}

std::size_t AtomicContention::footprint(const Point& point) {
  return static_cast<std::size_t>(point.integer("addresses")) * 4 + 2 * Buffer<float>::guard;
}

std::vector<Finding> AtomicContention::findings(const std::vector<Outcome>& outcomes) {
  std::map<std::pair<std::string, std::string>, std::map<std::int64_t, double>> seconds;
  for (const Outcome& outcome : outcomes) {
    Point rest;
    for (const auto& c : outcome.point.coordinates())
      if (c.axis != "atomics") rest.set(c.axis, c.value);
    seconds[{outcome.rung, rest.name()}][outcome.point.integer("atomics")] = outcome.seconds;
  }
  std::vector<Finding> findings;
  for (const auto& [of, by_atomics] : seconds) {
    if (by_atomics.size() < 2) continue;
    const auto& [few, short_time] = *by_atomics.begin();
    const auto& [many, long_time] = *by_atomics.rbegin();
    const double slope = (long_time - short_time) / static_cast<double>(many - few);
    findings.push_back({"time_per_addition",
                        "{rung}/{point}: {time:.2f} ns per addition",
                        {{"rung", of.first}, {"point", of.second}, {"time", slope * 1e9, "ns"}}});
  }
  return findings;
}

AtomicContention::AtomicContention(Device& device, const Point& point, std::uint64_t, std::size_t sets)
    : device_(device),
      atomics_(point.integer("atomics")),
      blocks_(static_cast<unsigned>(point.integer("blocks"))),
      in_shared_(!is_global(point)) {
  const auto addresses = static_cast<std::size_t>(point.integer("addresses"));
  for (std::size_t set = 0; set < sets; ++set) {
    if (point.word("type") == "u32")
      counters_.emplace_back(Buffer<std::uint32_t>(device, addresses));
    else
      counters_.emplace_back(Buffer<float>(device, addresses));
  }
}

AtomicContention::Args AtomicContention::args(std::size_t set) const {
  return std::visit(
      [&](const auto& c) -> Args {
        return {c.span(), static_cast<std::size_t>(atomics_), blocks_, in_shared_};
      },
      counters_[set]);
}

Memory AtomicContention::outputs(std::size_t set) const {
  return std::visit([](const auto& c) -> Memory { return {c.bytes()}; }, counters_[set]);
}

void AtomicContention::poison() {
  for (auto& counters : counters_) std::visit([](auto& c) { c.poison(); }, counters);
}

template <class T>
void AtomicContention::check(const Buffer<T>& counters, Verdict& worst) const {
  if (!counters.guards_intact()) {
    worst = {.ok = false, .where = "a guard band beside the counters was written to"};
    return;
  }
  const std::vector<T> values = counters.read();
  const auto addresses = static_cast<std::int64_t>(values.size());
  for (std::int64_t a = 0; a < addresses; ++a) {
    const double is = static_cast<double>(values[static_cast<std::size_t>(a)]);
    const double should_be = static_cast<double>(expected(atomics_, addresses, a));
    const double error = std::abs(is - should_be);
    if (error <= worst.error) continue;  // not where it is NaN
    if (std::isnan(worst.error)) continue;
    worst.ok = false;
    worst.error = error;
    worst.where = mismatch("counter " + std::to_string(a), is, should_be);
  }
}

Verdict AtomicContention::check(ResultIn) const {
  device_.synchronize();
  Verdict worst{.ok = true, .error = 0, .bound = 0, .where = {}};
  for (const auto& counters : counters_) std::visit([&](const auto& c) { check(c, worst); }, counters);
  return worst;
}

template ExperimentEntry describe<AtomicContention>();

}  // namespace crosswarp
