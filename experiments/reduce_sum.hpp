// The sum of n numbers. Bound by reading them once: 4 bytes an element from memory, one addition each.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/buffer.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// out[0] = in[0] + … + in[n-1], in any order; 0 for n = 0.
///
/// Inputs are lattice numbers (core/random.hpp), whose sums are exact in float in any order that does not look at them.
/// So the oracle is exact and the bound is 0 at every n: a variant that drops, repeats or misreads one element is
/// wrong, even among 2^31.
class ReduceSum {
 public:
  static constexpr std::string_view name = "reduce_sum";
  static constexpr std::string_view summary = "the sum of n numbers";

  struct Args {
    std::span<const float> in;  ///< Device memory. Aligned to a float only.
    std::span<float> out;       ///< Device memory, one element, poisoned: not to be read before it is written.
    float* host_out;            ///< Host memory: for variants that return their result there (ResultIn::host).
  };

  static std::vector<Axis> axes() {
    return {{.name = "n",
             .meaning = "elements",
             .bench = parse_values({.name = "n", .meaning = {}, .bench = {}}, "2^10:2^30:x4"),
             .most = std::int64_t{1} << 38},
            {.name = "offset",
             .meaning = "elements by which the first one is put past an aligned address",
             .bench = {std::int64_t{0}},
             .most = 1023,
             .implied = std::int64_t{0}},
            {.name = "type", .meaning = "element type", .bench = {"f32"}, .allowed = {"f32"}}};
  }

  /// Around every size at which a kernel changes its way: warps, vectors, blocks, grids, 2^31.
  static std::vector<TestPoint> test_points() {
    std::vector<TestPoint> points;
    const auto add = [&](std::int64_t n, std::int64_t offset, bool slow = false) {
      points.push_back({product(axes(), {{n}, {offset}, {"f32"}}).front(), slow});
    };
    for (const std::int64_t n :
         {0,    1,    2,    3,    31,     32,     33,        127,           255,     256,           257,
          1009, 1023, 1024, 1025, 65'535, 65'537, 1'000'003, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 16'777'259})
      add(n, 0);
    for (const std::int64_t offset : {1, 2, 3})
      for (const std::int64_t n : {0, 1, 2, 3, 5, 33, 1009, 65'537, 1'000'003}) add(n, offset);
    add((std::int64_t{1} << 31) + 1031, 1, true);
    return points;
  }

  static Cost cost(const Point& point) {
    const double n = static_cast<double>(point.integer("n"));
    return {
        .bytes_read = n * sizeof(float), .bytes_written = sizeof(float), .flops = std::max(n - 1, 0.0), .accesses = n};
  }

  static std::size_t footprint(const Point& point) {
    return static_cast<std::size_t>(point.integer("n") + point.integer("offset") + 1) * sizeof(float) +
           4 * Buffer<float>::guard;
  }

  ReduceSum(Device& device, const Point& point, std::uint64_t seed, std::size_t sets) : device_(device) {
    const auto n = static_cast<std::uint64_t>(point.integer("n"));
    const auto offset = static_cast<std::size_t>(point.integer("offset"));
    for (std::size_t set = 0; set < sets; ++set) {
      const Lattice elements{RandomStream(seed, set), exact_bits(n)};
      in_.emplace_back(device, n, offset);
      device.generate(in_.back().span(), elements);
      out_.emplace_back(device, 1);
      expected_.push_back(cached_sum(elements, seed, set, n));
    }
    host_out_.resize(sets);
  }

  Args args(std::size_t set) const { return {in_[set].span(), out_[set].span(), &host_out_[set]}; }

  void poison() {
    for (auto& out : out_) out.poison();
    std::fill(host_out_.begin(), host_out_.end(), std::nanf(""));
  }

  Verdict check(ResultIn where) const {
    device_.synchronize();
    Verdict worst{.ok = true, .error = 0, .bound = 0, .where = {}};
    for (std::size_t set = 0; set < in_.size(); ++set) {
      if (!out_[set].guards_intact() || !in_[set].guards_intact())
        return {.ok = false, .where = "a guard band beside in or out was written to"};
      const double result = where == ResultIn::host ? host_out_[set] : out_[set].read(0);
      const double error = std::abs(result - expected_[set]);
      if (error <= worst.bound) continue;
      if (worst.ok || std::isnan(error) || error > worst.error) {
        worst.ok = false;
        worst.error = error;
        worst.where = mismatch("sum of input " + std::to_string(set), result, expected_[set]);
      }
    }
    return worst;
  }

 private:
  /// The oracle takes a pass over all indices, so one process asks it once for each set of inputs.
  static double cached_sum(const Lattice& elements, std::uint64_t seed, std::size_t set, std::uint64_t n) {
    static std::map<std::tuple<std::uint64_t, std::size_t, std::uint64_t>, double> sums;
    const auto [place, is_new] = sums.try_emplace({seed, set, n}, 0.0);
    if (is_new) place->second = exact_sum(elements, n);
    return place->second;
  }

  Device& device_;
  std::vector<Buffer<float>> in_;
  std::vector<Buffer<float>> out_;
  mutable std::vector<float> host_out_;  // launches write it through Args
  std::vector<double> expected_;
};

}  // namespace crosswarp
