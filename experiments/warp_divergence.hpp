// Equal work for every lane of a warp, by `factor` separate pieces of code. Bound by the multiply-adds, and by how many
// times a warp has to go through them: once for each path that its lanes are on.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/format.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// What the paths of WarpDivergence compute: a step of path p is x ← x·(a·x + b) + c mod 2^32, two multiply-adds of
/// which the second needs the first, with a and c of that path alone.
///
/// Why a square: steps x·a + c would compose to one of their kind, so that a compiler may do four for the price of one.
/// Squares do not. With an even `a` and an odd `b` the step is a bijection, so that no two inputs end alike.
namespace divergent {

inline constexpr unsigned paths = 32;            ///< Pieces of code that there are.
inline constexpr unsigned longest_unroll = 128;  ///< The work is a multiple of it.

constexpr std::uint32_t square(unsigned path) { return 2 * ((path * 0x9e3779b1u + 0x7f4a7c15u) | 1); }
constexpr std::uint32_t constant(unsigned path) { return path * 0x85ebca6bu + 0xc2b2ae35u; }

constexpr std::uint32_t step(std::uint32_t x, std::uint32_t a, std::uint32_t c) { return x * (a * x + 0x27d4eb2f) + c; }

/// `steps` of one path, whose numbers are part of the code; a loop of `unroll` steps. `steps` is a multiple of it.
template <unsigned path, unsigned unroll>
constexpr std::uint32_t walk(std::uint32_t x, unsigned steps) {
  constexpr std::uint32_t a = square(path), c = constant(path);
  for (; steps > 0; steps -= unroll) [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
      ((static_cast<void>(i), x = step(x, a, c)), ...);
    }
  (std::make_integer_sequence<unsigned, unroll>{});
  return x;
}

/// The walk of `path` < `paths`: a switch over separate pieces of code, which are alike in all but their numbers.
template <unsigned unroll>
constexpr std::uint32_t walk_by_switch(unsigned path, std::uint32_t x, unsigned steps) {
  switch (path) {
    case 0:
      return walk<0, unroll>(x, steps);
    case 1:
      return walk<1, unroll>(x, steps);
    case 2:
      return walk<2, unroll>(x, steps);
    case 3:
      return walk<3, unroll>(x, steps);
    case 4:
      return walk<4, unroll>(x, steps);
    case 5:
      return walk<5, unroll>(x, steps);
    case 6:
      return walk<6, unroll>(x, steps);
    case 7:
      return walk<7, unroll>(x, steps);
    case 8:
      return walk<8, unroll>(x, steps);
    case 9:
      return walk<9, unroll>(x, steps);
    case 10:
      return walk<10, unroll>(x, steps);
    case 11:
      return walk<11, unroll>(x, steps);
    case 12:
      return walk<12, unroll>(x, steps);
    case 13:
      return walk<13, unroll>(x, steps);
    case 14:
      return walk<14, unroll>(x, steps);
    case 15:
      return walk<15, unroll>(x, steps);
    case 16:
      return walk<16, unroll>(x, steps);
    case 17:
      return walk<17, unroll>(x, steps);
    case 18:
      return walk<18, unroll>(x, steps);
    case 19:
      return walk<19, unroll>(x, steps);
    case 20:
      return walk<20, unroll>(x, steps);
    case 21:
      return walk<21, unroll>(x, steps);
    case 22:
      return walk<22, unroll>(x, steps);
    case 23:
      return walk<23, unroll>(x, steps);
    case 24:
      return walk<24, unroll>(x, steps);
    case 25:
      return walk<25, unroll>(x, steps);
    case 26:
      return walk<26, unroll>(x, steps);
    case 27:
      return walk<27, unroll>(x, steps);
    case 28:
      return walk<28, unroll>(x, steps);
    case 29:
      return walk<29, unroll>(x, steps);
    case 30:
      return walk<30, unroll>(x, steps);
    default:
      return walk<31, unroll>(x, steps);
  }
}

}  // namespace divergent

/// out[i] = in[i] after `work` steps of path i % factor.
///
/// Exact: integers, compared bit by bit. The inputs are drawn from 64 random words a set, so that the oracle has
/// 64 · factor walks to do, whatever n is; each output is compared.
class WarpDivergence {
 public:
  static constexpr std::string_view name = "warp_divergence";
  static constexpr std::string_view summary = "equal work on several paths within a warp";

  struct Args {
    std::span<const std::uint32_t> in;  ///< Device memory.
    std::span<std::uint32_t> out;       ///< Device memory, as many, poisoned.
    unsigned factor;                    ///< 1 … divergent::paths.
    unsigned work;                      ///< Steps; a multiple of divergent::longest_unroll.
  };

  static std::vector<Axis> axes() {
    return {{.name = "n", .meaning = "items, one for each lane", .bench = {std::int64_t{1} << 20}, .most = 1 << 30},
            {.name = "factor",
             .meaning = "paths; item i takes path i % factor",
             .bench = parse_values({.name = "factor", .meaning = {}, .bench = {}}, "1:32"),
             .least = 1,
             .most = divergent::paths},
            {.name = "work",
             .meaning = "steps of each item, of two dependent multiply-adds; a multiple of 128",
             .bench = {std::int64_t{1024}},
             .most = 1 << 20}};
  }

  static bool exists(const Point& point) { return point.integer("work") % divergent::longest_unroll == 0; }

  static std::vector<TestPoint> test_points() {
    std::vector<TestPoint> points;
    const auto add = [&](std::int64_t n, std::int64_t factor, std::int64_t work, bool slow = false) {
      points.push_back({product(axes(), {{n}, {factor}, {work}}).front(), slow});
    };
    for (const std::int64_t n : {0, 1, 31, 33, 257, 1009}) add(n, 3, 128);
    for (const std::int64_t factor : {1, 2, 4, 5, 8, 16, 31, 32}) add(2049, factor, 128);
    add(515, 32, 0);
    add(515, 7, 384);
    add(1'000'003, 13, 128, true);
    return points;
  }

  /// Two multiply-adds a step.
  static Cost cost(const Point& point) {
    const auto n = static_cast<double>(point.integer("n"));
    return {.bytes_read = n * sizeof(std::uint32_t),
            .bytes_written = n * sizeof(std::uint32_t),
            .flops = 4 * n * static_cast<double>(point.integer("work")),
            .accesses = n,
            .rated = Quantity::flops,
            .ceiling = "i32"};
  }

  static std::size_t footprint(const Point& point) {
    return 2 *
           (static_cast<std::size_t>(point.integer("n")) * sizeof(std::uint32_t) + 2 * Buffer<std::uint32_t>::guard);
  }

  WarpDivergence(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device),
        factor_(static_cast<unsigned>(point.integer("factor"))),
        work_(static_cast<unsigned>(point.integer("work"))),
        seed_(seed) {
    const auto n = static_cast<std::size_t>(point.integer("n"));
    for (std::size_t set = 0; set < sets; ++set) {
      in_.emplace_back(device, n);
      out_.emplace_back(device, n);
    }
    walked_.resize(sets);
  }

  void refill(std::uint64_t generation) {
    const std::uint64_t seed = generation_seed(seed_, generation);
    inputs_.clear();
    for (std::size_t set = 0; set < in_.size(); ++set) {
      const std::size_t n = in_[set].size();
      const Inputs& inputs = inputs_.emplace_back(RandomStream(seed, 2 * set), RandomStream(seed, 2 * set + 1), n);
      walked_[set] = oracle(inputs);
      std::vector<std::uint32_t> in(n);
      for (std::size_t i = 0; i < n; ++i) in[i] = inputs.value(inputs.kind_of[i]);
      in_[set].write(in);
    }
  }

  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }

  Args args(std::size_t set) const { return {in_[set].span(), out_[set].span(), factor_, work_}; }

  void poison() {
    for (auto& out : out_) out.poison();
  }

  Verdict check(ResultIn) const {
    device_.synchronize();
    for (std::size_t set = 0; set < out_.size(); ++set) {
      if (!out_[set].guards_intact() || !in_[set].guards_intact())
        return {.ok = false, .where = "a guard band beside in or out was written to"};
      const std::vector<std::uint32_t>& walked = walked_[set];
      const std::vector<std::uint32_t> out = out_[set].read();
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint32_t right = walked[i % factor_ * kinds + inputs_[set].kind_of[i]];
        if (out[i] == right) continue;
        return {.ok = false,
                .error = std::abs(static_cast<double>(out[i]) - right),
                .where = mismatch("out[" + std::to_string(i) + "] of input " + std::to_string(set), out[i], right)};
      }
    }
    return {.ok = true, .error = 0, .where = {}};
  }

  /// What a path more costs, and what that is beyond the ideal: as many times the time of one path as there are paths.
  static std::vector<std::string> findings(const std::vector<Outcome>& outcomes);

  /// Of the line through (x, y) with the least squares. At least two different x.
  static double slope(const std::vector<std::pair<double, double>>& points) {
    double x = 0, y = 0, xx = 0, xy = 0;
    const auto n = static_cast<double>(points.size());
    for (const auto& [px, py] : points) x += px / n, y += py / n;
    for (const auto& [px, py] : points) xx += (px - x) * (px - x), xy += (px - x) * (py - y);
    return xy / xx;
  }

 private:
  static constexpr std::size_t kinds = 64;  // inputs that there are

  struct Inputs {
    RandomStream values;
    std::vector<std::uint8_t> kind_of;  ///< Of each item.

    Inputs(const RandomStream& of_values, const RandomStream& order, std::size_t n) : values(of_values), kind_of(n) {
      for (std::size_t i = 0; i < n; ++i) kind_of[i] = static_cast<std::uint8_t>(order(i) % kinds);
    }
    std::uint32_t value(std::size_t kind) const { return values(kind); }
  };

  /// What becomes of each kind of input on each path: [path * kinds + kind].
  std::vector<std::uint32_t> oracle(const Inputs& inputs) const {
    std::vector<std::uint32_t> x(factor_ * kinds);
    for (std::size_t path = 0; path < factor_; ++path) {
      const std::span<std::uint32_t, kinds> of_path(&x[path * kinds], kinds);
      for (std::size_t kind = 0; kind < kinds; ++kind) of_path[kind] = inputs.value(kind);
      const std::uint32_t a = divergent::square(static_cast<unsigned>(path));
      const std::uint32_t c = divergent::constant(static_cast<unsigned>(path));
      for (unsigned i = 0; i < work_; ++i)
        for (std::uint32_t& value : of_path) value = divergent::step(value, a, c);
    }
    return x;
  }

  Device& device_;
  unsigned factor_, work_;
  std::uint64_t seed_;
  std::vector<Inputs> inputs_;
  std::vector<std::vector<std::uint32_t>> walked_;  ///< By the oracle, of each set, by the generation.
  std::vector<Buffer<std::uint32_t>> in_, out_;
};

extern template ExperimentEntry describe<WarpDivergence>();

}  // namespace crosswarp
