// The divergence's points, oracle and findings.
#include "experiments/warp_divergence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "core/format.hpp"

namespace crosswarp {
namespace {

/// Slope of the least-squares line through (x, y). Requires at least two different x.
double slope(const std::map<double, double>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(points.size());
  for (const auto& [px, py] : points) x += px / n, y += py / n;
  for (const auto& [px, py] : points) xx += (px - x) * (px - x), xy += (px - x) * (py - y);
  return xy / xx;
}

}  // namespace

std::vector<Axis> WarpDivergence::axes() {
  return {{.name = "n",
           .meaning = "items, one per lane",
           .bench = {std::int64_t{1} << 20},
           .most = 1 << 30,
           .random = RandomRange{.least = 1 << 10, .most = 1 << 22}},
          {.name = "factor",
           .meaning = "paths; item i takes path i % factor",
           .bench = parse_values({.name = "factor", .meaning = {}, .bench = {}}, "1:32"),
           .least = 1,
           .most = divergent::paths,
           .random = RandomRange{.most = divergent::paths}},
          {.name = "work",
           .meaning = "steps per item, of two dependent multiply-adds; a multiple of 128",
           .bench = {std::int64_t{1024}},
           .most = 1 << 20}};
}

std::vector<Point> WarpDivergence::headline_points() {
  std::vector<Point> points;
  for (const int log_n : {14, 20})
    points.push_back(point_with(axes(), {{"n", std::int64_t{1} << log_n}, {"factor", std::int64_t{32}}}));
  return points;
}

std::vector<TestPoint> WarpDivergence::test_points() {
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

Cost WarpDivergence::cost(const Point& point) {
  const auto n = static_cast<double>(point.integer("n"));
  constexpr double operations_per_step = 4;  // two multiply-adds
  return {.bytes_read = n * sizeof(std::uint32_t),
          .bytes_written = n * sizeof(std::uint32_t),
          .flops = operations_per_step * n * static_cast<double>(point.integer("work")),
          .accesses = n,
          .rated = Quantity::flops,
          .ceiling = "i32"};
}

std::size_t WarpDivergence::footprint(const Point& point) {
  return 2 * (static_cast<std::size_t>(point.integer("n")) * sizeof(std::uint32_t) + 2 * Buffer<std::uint32_t>::guard);
}

std::vector<Finding> WarpDivergence::findings(const std::vector<Outcome>& outcomes) {
  using Curve = std::map<double, double>;  // seconds by factor
  std::map<std::string, Curve> curves;     // by variant, n and work
  for (const Outcome& o : outcomes)
    curves[o.rung + " at n:" + std::to_string(o.point.integer("n")) +
           "/work:" + std::to_string(o.point.integer("work"))][static_cast<double>(o.point.integer("factor"))] =
        o.seconds;
  std::vector<Finding> findings;
  for (const auto& [cell, seconds] : curves) {
    const auto one_path = seconds.find(1);
    if (one_path == seconds.end() || seconds.size() < 3) continue;
    Curve relative;
    for (const auto& [factor, time] : seconds) relative[factor] = time / one_path->second;
    const double per_path = slope(relative);
    const bool diverges = per_path > 0.5;  // otherwise the ideal does not apply
    Finding finding{
        .kind = "divergence",
        .text = "{cell}: each further path takes {per_path:.3f} of the time of one; times that of one" +
                std::string(diverges ? " (and beyond the number of paths)" : "") + " by factor: {series}",
        .values = {{"cell", cell}, {"per_path", per_path}},
        .each = diverges ? "{factor:.0f}: {relative:.2f} ({excess_percent:+.1f} %)" : "{factor:.0f}: {relative:.2f}"};
    for (const auto& [factor, time] : relative)
      if (factor > 1)
        finding.series.push_back(
            {{"factor", factor}, {"relative", time}, {"excess_percent", 100 * (time / factor - 1)}});
    findings.push_back(std::move(finding));
  }
  return findings;
}

WarpDivergence::WarpDivergence(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
    : device_(device),
      factor_(static_cast<unsigned>(point.integer("factor"))),
      work_(static_cast<unsigned>(point.integer("work"))),
      seed_(seed),
      sets_(sets) {
  const auto n = static_cast<std::size_t>(point.integer("n"));
  for (std::size_t set = 0; set < sets; ++set) {
    in_.emplace_back(device, n);
    out_.emplace_back(device, n);
  }
}

void WarpDivergence::refill(std::uint64_t generation) {
  const std::uint64_t seed = generation_seed(seed_, generation);
  for (std::size_t set = 0; set < in_.size(); ++set) {
    const RandomStream inputs(seed, 2 * set), draw(seed, 2 * set + 1);
    const std::size_t n = in_[set].size();
    std::vector<std::uint8_t>& input_of = sets_[set].input_of;
    input_of.resize(n);
    std::vector<std::uint32_t> in(n);
    std::array<std::uint32_t, distinct_inputs> values;
    for (std::size_t input = 0; input < distinct_inputs; ++input) values[input] = inputs(input);
    for (std::size_t first = 0; first < n; first += sizeof(std::uint64_t)) {
      std::uint64_t bytes = draw.word(first / sizeof bytes);  // one of each draws an item's input
      for (std::size_t i = first; i < std::min(first + sizeof bytes, n); ++i, bytes >>= 8) {
        input_of[i] = static_cast<std::uint8_t>(bytes % distinct_inputs);
        in[i] = values[input_of[i]];
      }
    }
    in_[set].write(in);
    sets_[set].expected = oracle(inputs);
    if (n > Checksum::block) sets_[set].checksum = checksum(n, expected(sets_[set]));
  }
}

void WarpDivergence::poison() {
  for (auto& out : out_) out.poison();
}

Verdict WarpDivergence::check(ResultIn) const {
  device_.synchronize();
  if (!guards_intact(in_, out_)) return {.ok = false, .where = "a guard band beside in or out was written to"};
  for (std::size_t set = 0; set < out_.size(); ++set) {
    if (is_right_by_checksum(set)) continue;
    const std::vector<std::uint32_t> out = out_[set].read();
    std::vector<std::uint32_t> right(out.size());
    expected(sets_[set])(0, right);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i] == right[i]) continue;
      return {.ok = false,
              .error = std::abs(static_cast<double>(out[i]) - right[i]),
              .where = mismatch("out[" + std::to_string(i) + "] of input " + std::to_string(set), out[i], right[i])};
    }
  }
  return {.ok = true, .error = 0, .where = {}};
}

bool WarpDivergence::is_right_by_checksum(std::size_t set) const {
  const std::span<const std::uint32_t> out = out_[set].span();
  if (out.size() <= Checksum::block) return false;
  const std::span words(reinterpret_cast<const float*>(out.data()), out.size());  // only its bits count
  return device_.checksum(words) == sets_[set].checksum.weighted;
}

Words WarpDivergence::expected(const Set& set) const {
  return [this, &set](std::uint64_t first, std::span<std::uint32_t> words) {
    auto path = static_cast<unsigned>(first % factor_);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = set.expected[path * distinct_inputs + set.input_of[first + i]];
      path = path + 1 == factor_ ? 0 : path + 1;
    }
  };
}

std::vector<std::uint32_t> WarpDivergence::oracle(const RandomStream& inputs) const {
  std::vector<std::uint32_t> outputs(factor_ * distinct_inputs);
  for (unsigned path = 0; path < factor_; ++path) {
    const std::span<std::uint32_t, distinct_inputs> of_path(&outputs[path * distinct_inputs], distinct_inputs);
    for (std::size_t input = 0; input < distinct_inputs; ++input) of_path[input] = inputs(input);
    const std::uint32_t a = divergent::quadratic(path), c = divergent::constant(path);
    for (unsigned i = 0; i < work_; ++i)
      for (std::uint32_t& x : of_path) x = divergent::step(x, a, c);
  }
  return outputs;
}

template ExperimentEntry describe<WarpDivergence>();

}  // namespace crosswarp
