// Equal work for every lane of a warp, on `factor` separate code paths. Bound by the multiply-adds, and by the number
// of passes: a warp executes the work once for each path of its lanes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/checksum.hpp"
#include "core/experiment.hpp"
#include "core/random.hpp"

namespace crosswarp {

/// The code paths. A step of path p is x ← x·(a·x + b) + c mod 2^32: two dependent multiply-adds, with a and c of that
/// path alone.
///
/// The step is quadratic because linear steps x·a + c compose to another linear step, so that a compiler may fold
/// several into one. With an even `a` and an odd `b` it is a bijection: no two inputs end alike.
namespace divergent {

inline constexpr unsigned paths = 32;
inline constexpr unsigned longest_unroll = 128;  ///< The work is a multiple of it.

constexpr std::uint32_t quadratic(unsigned path) { return 2 * ((path * 0x9e3779b1u + 0x7f4a7c15u) | 1); }
constexpr std::uint32_t constant(unsigned path) { return path * 0x85ebca6bu + 0xc2b2ae35u; }

constexpr std::uint32_t step(std::uint32_t x, std::uint32_t a, std::uint32_t c) { return x * (a * x + 0x27d4eb2f) + c; }

/// `steps` steps of one path, with its coefficients as immediates, in a loop of `unroll`. Requires steps % unroll == 0.
template <unsigned path, unsigned unroll>
constexpr std::uint32_t run_path(std::uint32_t x, unsigned steps) {
  constexpr std::uint32_t a = quadratic(path), c = constant(path);
  for (; steps > 0; steps -= unroll) [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) {
      ((static_cast<void>(i), x = step(x, a, c)), ...);
    }
  (std::make_integer_sequence<unsigned, unroll>{});
  return x;
}

/// The same for a path known at run time: a switch over separate code, alike in all but the coefficients. Requires
/// path < paths.
template <unsigned unroll>
constexpr std::uint32_t switch_path(unsigned path, std::uint32_t x, unsigned steps) {
  switch (path) {
    case 0:
      return run_path<0, unroll>(x, steps);
    case 1:
      return run_path<1, unroll>(x, steps);
    case 2:
      return run_path<2, unroll>(x, steps);
    case 3:
      return run_path<3, unroll>(x, steps);
    case 4:
      return run_path<4, unroll>(x, steps);
    case 5:
      return run_path<5, unroll>(x, steps);
    case 6:
      return run_path<6, unroll>(x, steps);
    case 7:
      return run_path<7, unroll>(x, steps);
    case 8:
      return run_path<8, unroll>(x, steps);
    case 9:
      return run_path<9, unroll>(x, steps);
    case 10:
      return run_path<10, unroll>(x, steps);
    case 11:
      return run_path<11, unroll>(x, steps);
    case 12:
      return run_path<12, unroll>(x, steps);
    case 13:
      return run_path<13, unroll>(x, steps);
    case 14:
      return run_path<14, unroll>(x, steps);
    case 15:
      return run_path<15, unroll>(x, steps);
    case 16:
      return run_path<16, unroll>(x, steps);
    case 17:
      return run_path<17, unroll>(x, steps);
    case 18:
      return run_path<18, unroll>(x, steps);
    case 19:
      return run_path<19, unroll>(x, steps);
    case 20:
      return run_path<20, unroll>(x, steps);
    case 21:
      return run_path<21, unroll>(x, steps);
    case 22:
      return run_path<22, unroll>(x, steps);
    case 23:
      return run_path<23, unroll>(x, steps);
    case 24:
      return run_path<24, unroll>(x, steps);
    case 25:
      return run_path<25, unroll>(x, steps);
    case 26:
      return run_path<26, unroll>(x, steps);
    case 27:
      return run_path<27, unroll>(x, steps);
    case 28:
      return run_path<28, unroll>(x, steps);
    case 29:
      return run_path<29, unroll>(x, steps);
    case 30:
      return run_path<30, unroll>(x, steps);
    default:
      return run_path<31, unroll>(x, steps);
  }
}

}  // namespace divergent

/// out[i] = in[i] after `work` steps of path i % factor.
///
/// Exact: integers, compared bit by bit; of more than 2^18 the checksum first. Inputs are drawn from 64 random words
/// per set, so that the oracle computes 64 · factor outputs for any n.
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

  static std::vector<Axis> axes();
  static bool exists(const Point& point) { return point.integer("work") % divergent::longest_unroll == 0; }
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  /// Per variant: the cost of one more path, and the excess over the ideal of `factor` times the time of one path.
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  WarpDivergence(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  Memory outputs(std::size_t set) const { return {out_[set].bytes()}; }
  Args args(std::size_t set) const { return {in_[set].span(), out_[set].span(), factor_, work_}; }
  void poison();
  Verdict check(ResultIn) const;

 private:
  static constexpr std::size_t distinct_inputs = 64;

  /// What a set holds and must become.
  struct Set {
    std::vector<std::uint8_t> input_of;   ///< Each item's, of distinct_inputs.
    std::vector<std::uint32_t> expected;  ///< [path * distinct_inputs + input]
    Checksum checksum;                    ///< Of the outputs, where they are checked by it.
  };
  std::vector<std::uint32_t> oracle(const RandomStream& inputs) const;
  /// The outputs that a set must have.
  Words expected(const Set& set) const;
  /// Whether the device's checksum of the outputs is right: it stands for reading back many of them.
  bool is_right_by_checksum(std::size_t set) const;

  Device& device_;
  unsigned factor_, work_;
  std::uint64_t seed_;
  std::vector<Set> sets_;
  std::vector<Buffer<std::uint32_t>> in_, out_;
};

extern template ExperimentEntry describe<WarpDivergence>();

}  // namespace crosswarp
