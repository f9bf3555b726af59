// Atomic additions from many threads to few addresses. Bound by the unit that does them one after the other: in L2 for
// global memory, in the multiprocessor for shared memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// counters[a] = the number of additions i = 0 … atomics-1 with i mod addresses = a: every one adds 1. What a kernel
/// makes of them is its idea: one atomic each, or one for what a warp or a block has counted. All of it is one result,
/// so that what the atomics of a reduction cost can be seen without the reduction.
class AtomicContention {
 public:
  static constexpr std::string_view name = "atomic_contention";
  static constexpr std::string_view summary = "atomic additions to few addresses";

  struct Args {
    std::variant<std::span<std::uint32_t>, std::span<float>>
        counters;  ///< Device memory, poisoned; as many as addresses.
    std::size_t atomics;
    unsigned blocks;  ///< Over which they are spread.
    bool in_shared;   ///< Each block counts in its shared memory, and adds that to `counters` in the end.

    std::size_t addresses() const {
      return std::visit([](const auto& c) { return c.size(); }, counters);
    }
  };

  // For Variant::applies.
  static bool is_global(const Point& point) { return point.word("scope") == "global"; }
  static bool is_global_on_one(const Point& point) { return is_global(point) && point.integer("addresses") == 1; }

  static std::vector<Axis> axes() {
    return {{.name = "atomics",
             .meaning = "additions in all",
             .bench = {std::int64_t{1} << 16, std::int64_t{1} << 20},
             .least = 1,
             .most = std::int64_t{1} << 31},
            {.name = "blocks",
             .meaning = "blocks that they are spread over",
             .bench = {std::int64_t{256}},
             .least = 1,
             .most = std::int64_t{1} << 20},
            {.name = "addresses",
             .meaning = "words that they go to in turn",
             .bench = {std::int64_t{1}, std::int64_t{1024}},
             .least = 1,
             .most = 1024},
            {.name = "type", .meaning = "what is added", .bench = {"u32", "f32"}, .allowed = {"u32", "f32"}},
            {.name = "scope",
             .meaning = "where the words are",
             .bench = {"global", "shared"},
             .allowed = {"global", "shared"}}};
  }

  /// A float counts to 2^24 only.
  static bool exists(const Point& point) {
    return point.word("type") == "u32" || expected(point.integer("atomics"), point.integer("addresses"), 0) <= 1 << 24;
  }

  static std::vector<TestPoint> test_points() {
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

  static Cost cost(const Point& point) {
    return {.accesses = static_cast<double>(point.integer("atomics")), .rated = Quantity::accesses, .ceiling = ""};
  }

  static std::size_t footprint(const Point& point) {
    return static_cast<std::size_t>(point.integer("addresses")) * 4 + 2 * Buffer<float>::guard;
  }

  /// What one more atomic costs, from the fewest and the most of them at points that are otherwise the same: without
  /// launches, and without clearing the counters.
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes);

  AtomicContention(Device& device, const Point& point, std::uint64_t, std::size_t sets)
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

  Args args(std::size_t set) const {
    return std::visit(
        [&](const auto& c) -> Args {
          return {c.span(), static_cast<std::size_t>(atomics_), blocks_, in_shared_};
        },
        counters_[set]);
  }

  Memory outputs(std::size_t set) const {
    return {std::visit([](const auto& c) { return c.bytes(); }, counters_[set])};
  }

  void poison() {
    for (auto& counters : counters_) std::visit([](auto& c) { c.poison(); }, counters);
  }

  Verdict check(ResultIn) const {
    device_.synchronize();
    Verdict worst{.ok = true, .error = 0, .bound = 0, .where = {}};
    for (const auto& counters : counters_) std::visit([&](const auto& c) { check(c, worst); }, counters);
    return worst;
  }

 private:
  static std::int64_t expected(std::int64_t atomics, std::int64_t addresses, std::int64_t address) {
    return (atomics - address + addresses - 1) / addresses;
  }

  static std::string in_nanoseconds(double seconds) {
    const auto picoseconds = static_cast<long long>(std::llround(seconds * 1e12));
    return std::to_string(picoseconds / 1000) + "." +
           std::to_string(std::abs(picoseconds) % 1000 / 10 + 100).substr(1) + " ns";
  }

  template <class T>
  void check(const Buffer<T>& counters, Verdict& worst) const {
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

  Device& device_;
  std::int64_t atomics_;
  unsigned blocks_;
  bool in_shared_;
  std::vector<std::variant<Buffer<std::uint32_t>, Buffer<float>>> counters_;
};

extern template ExperimentEntry describe<AtomicContention>();

}  // namespace crosswarp
