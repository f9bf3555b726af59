// Latency of single operations: one warp, each operation waits for the one before. Bound by that latency alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.hpp"
#include "core/elapsed.hpp"
#include "core/experiment.hpp"

namespace crosswarp {

/// Each lane of one warp takes 4·`steps` dependent steps in three runs: `steps` to fill the instruction cache, `steps`
/// timed, and 2·`steps` timed. The difference of the timed runs cancels their fixed cost.
///
/// | op | a step |
/// |---|---|
/// | fma_f32, fma_f64, fma_f16x2, mad_i32 | x ← a·x + b, rounded once, as in peak_compute |
/// | add_f32 | x ← x + 1 |
/// | rcp | x ← b - 1/x (Rotation): a reciprocal and an addition |
/// | sqrt | x ← x + √x: a square root and an addition |
/// | sin | x ← sin x |
/// | shuffle | x ← next[x], where lane i holds next[i] |
/// | atomic_shared, atomic_global | x ← the old value of the lane's own word, to which it adds x |
class OpLatency {
 public:
  static constexpr std::string_view name = "op_latency";
  static constexpr std::string_view summary = "cycles of an operation that waits for the one before";

  enum class Op {
    fma_f32,
    fma_f64,
    fma_f16x2,
    mad_i32,
    add_f32,
    rcp,
    sqrt,
    sin,
    shuffle,
    atomic_shared,
    atomic_global
  };
  static constexpr std::array<std::string_view, 11> op_names{"fma_f32", "fma_f64",       "fma_f16x2",    "mad_i32",
                                                             "add_f32", "rcp",           "sqrt",         "sin",
                                                             "shuffle", "atomic_shared", "atomic_global"};

  struct Args {
    Op op;
    unsigned steps;
    double a, b;                            ///< Exact in the operation's type.
    std::span<const std::uint64_t> starts;  ///< One per lane: the bits of its first x, in the low end.
    std::span<const std::uint32_t> next;    ///< shuffle: one per lane.
    std::span<std::uint64_t> ends;          ///< One per lane.
    std::span<std::uint32_t> words;         ///< atomic_global: one per lane; set it to 1 first.
    std::span<Elapsed> elapsed;             ///< Two: of the second and of the third run.
  };

  static std::vector<Axis> axes();
  static bool exists(const Point& point);
  static std::vector<TestPoint> test_points();
  static std::vector<Point> headline_points();
  static Cost cost(const Point& point);
  static std::size_t footprint(const Point& point);
  static std::vector<Finding> findings(const std::vector<Outcome>& outcomes);

  static Op op_of(const Point& point);
  static Point at(Op op, std::int64_t steps);

  OpLatency(Device& device, const Point& point, std::uint64_t seed, std::size_t sets);
  void refill(std::uint64_t generation);
  /// Args::steps is half.
  void shorten(bool is_shorter) { taken_ = is_shorter ? shorter_ : steps_; }
  Args args(std::size_t set) const;
  Memory outputs(std::size_t set) const { return {ends_[set].bytes(), words_[set].bytes(), elapsed_[set].bytes()}; }
  void poison();
  Verdict check(ResultIn) const;
  /// Median cycles per operation over the inputs; nanoseconds where the device's timer resolves them.
  std::vector<Observation> observe() const;

 private:
  std::int64_t all_steps() const { return 4 * taken_; }
  bool is_approximate() const { return op_ == Op::rcp || op_ == Op::sqrt || op_ == Op::sin; }
  double bound() const;
  double error(double is, double should_be) const;
  double number(std::uint64_t bits) const;
  std::vector<std::uint32_t> two_cycles() const;
  std::uint64_t start(std::size_t lane, std::uint32_t random) const;
  std::uint64_t end(std::uint64_t start, std::int64_t steps, const std::vector<std::uint32_t>& next) const;

  Device& device_;
  Op op_;
  std::int64_t steps_, shorter_;
  std::int64_t taken_ = steps_;  // of these two
  std::size_t lanes_;
  std::uint64_t seed_;
  double a_ = 0, b_ = 0;
  std::vector<std::map<std::int64_t, std::vector<std::uint64_t>>> expected_;  // by steps taken
  std::vector<Buffer<std::uint64_t>> starts_, ends_;
  std::vector<Buffer<std::uint32_t>> next_, words_;
  std::vector<Buffer<Elapsed>> elapsed_;
};

extern template ExperimentEntry describe<OpLatency>();

}  // namespace crosswarp
