// What is computed: an experiment's definition, its inputs on a device, and its oracle.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/accuracy.hpp"
#include "core/device.hpp"
#include "core/finding.hpp"
#include "core/point.hpp"

namespace crosswarp {

/// What a rate counts.
enum class Quantity { bytes, flops, accesses };

std::string to_string(Quantity quantity);
/// Throws Error where `text` is none.
Quantity quantity(std::string_view text);

/// What the *problem* needs at a point, whatever a variant really moves: every input read once, every output written
/// once.
struct Cost {
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;                     ///< Operations; a multiply-add is two.
  double accesses = 0;                  ///< Elements touched, or steps taken one after the other.
  Quantity rated = Quantity::bytes;     ///< What the rate is of.
  std::string_view ceiling = "memory";  ///< The part of the device (Peaks) that the rate is held to; empty: none.

  /// Of what the rate is of.
  double amount() const {
    return rated == Quantity::bytes ? bytes_read + bytes_written : rated == Quantity::flops ? flops : accesses;
  }
};

/// What a problem found in its outputs beside the result: `{"cycles_per_load", "cycle", 34.2}`.
struct Observation {
  std::string name;
  std::string unit;
  double value;
};

/// What a counter must show for a cell to measure what its name says.
struct Expectation {
  std::string_view counter;  ///< A name in core/counters.cpp.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// The point at which an experiment measures a ceiling that others are held to.
struct CeilingPoint {
  std::string_view ceiling;
  Point point;
};

/// A cell's result, for what follows from several.
struct Outcome {
  std::string rung;
  Point point;
  double seconds;  ///< Of a launch.
  Cost cost;
  std::map<std::string, double> observed;
};

/// What the oracle says about one result.
struct Verdict {
  bool ok = false;
  double error =
      std::numeric_limits<double>::quiet_NaN();  ///< The worst difference from the oracle. NaN: not a number.
  double bound = 0;                              ///< The largest that is right, by type and size.
  std::string where;                             ///< Where the worst difference is, and what was there.
};

/// `sum is 3.5, should be 4`: for Verdict::where.
std::string mismatch(std::string_view what, double is, double should_be);

/// Where a variant leaves its result.
enum class ResultIn { device, host };

/// A point to test. `slow` ones take seconds or gigabytes.
struct TestPoint {
  Point point;
  bool slow = false;
};

/// Pieces of a device's memory.
using Memory = std::vector<std::span<std::byte>>;

/// What a header in experiments/ defines: one class, whose objects are prepared problems on one device. Beside what is
/// required it may have any of
///
///     void refill(std::uint64_t generation);      // fills all inputs in place with the numbers of that generation,
///                                                 // enqueued in order; check() then judges by them. Required where
///                                                 // outputs depend on data. args() may not change with it
///     void release();                             // gives the memory of all inputs and outputs back, and …
///     void allocate();                            // … takes it anew, unfilled, where something else is worth keeping;
///                                                 // else the object is made anew
///     bool refill_general(Distribution, std::uint64_t draw);  // fills the inputs of set 0 with general numbers, in
///                                                 // place and in order; false where results at this point do not
///                                                 // round. check() is for refilled inputs again
///     Errors errors(ResultIn where) const;        // of set 0's outputs on them; required beside refill_general()
///     std::vector<Observation> observe() const;   // on the last results that check() found right, over all sets
///     static constexpr bool may_undercut_a_launch = true;  // where the time of an empty kernel is no lower limit
///     static bool exists(const Point&);           // where not all combinations of the axes' values make sense
///     static std::vector<Point> bench_points();   // of axes that go together (rows and columns), in place of the
///                                                 // product of their defaults where a run names none of them
///     static double check_cost(const Point&);     // operations that a reference of one set takes, where these are
///     more
///                                                 // than some for each element of inputs and outputs
///     static std::vector<Expectation> expectations(const Point&);
///     static std::vector<CeilingPoint> ceilings();
///     static std::vector<Finding> findings(const std::vector<Outcome>&);  // of one device and mode
template <class E>
concept ExperimentType = requires(const E& prepared, E& mutable_prepared, Device& device, const Point& point,
                                  std::uint64_t seed, std::size_t sets, std::size_t set, ResultIn where) {
  typename E::Args;  // device spans and scalars: the signature that every backend implements
  { E::name } -> std::convertible_to<std::string_view>;
  { E::summary } -> std::convertible_to<std::string_view>;
  { E::axes() } -> std::same_as<std::vector<Axis>>;
  { E::test_points() } -> std::same_as<std::vector<TestPoint>>;
  { E::cost(point) } -> std::same_as<Cost>;
  { E::footprint(point) } -> std::same_as<std::size_t>;  // bytes of device memory for one set
  E(device, point, seed, sets);                          // memory for `sets` distinct inputs and outputs, unfilled
  { prepared.args(set) } -> std::same_as<typename E::Args>;
  { prepared.outputs(set) } -> std::same_as<Memory>;  // what a launch on `set` writes, and poison() poisons
  mutable_prepared.poison();
  { prepared.check(where) } -> std::same_as<Verdict>;
};

/// A prepared problem, whatever its experiment: memory first, numbers by refill().
class Problem {
 public:
  virtual ~Problem() = default;
  /// Gives the memory of inputs and outputs back; allocate() takes it anew, elsewhere if something else was taken
  /// between them. What was bound to the old one must be gone.
  virtual void release() = 0;
  virtual void allocate() = 0;
  /// Puts other numbers where the inputs are: those of a generation, enqueued in order.
  virtual void refill(std::uint64_t generation) = 0;
  /// False where nothing that a launch reads is data, so that refill() changes nothing.
  virtual bool has_inputs() const = 0;
  /// Poisons every output.
  virtual void poison() = 0;
  /// Device memory that a launch on `set` writes.
  virtual Memory outputs(std::size_t set) const = 0;
  /// The worst verdict over all sets by the generation filled last, guard bands included. Waits for the device.
  virtual Verdict check(ResultIn where) const = 0;
  virtual std::vector<Observation> observe() const = 0;
  /// Fills the inputs of set 0 with general numbers in place of those that check() judges by; each draw with others.
  /// False where nothing at this point rounds, so that there are no errors.
  virtual bool refill_general(Distribution distribution, std::uint64_t draw) = 0;
  /// Of the outputs of set 0 on general numbers, or of an even choice of them. Waits for the device.
  virtual Errors errors(ResultIn where) const = 0;
};

template <ExperimentType E>
class ProblemOf final : public Problem {
 public:
  ProblemOf(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : device_(device), point_(point), seed_(seed), sets_(sets), prepared_(std::in_place, device, point, seed, sets) {}
  void release() override {
    if constexpr (requires { prepared_->release(); })
      prepared_->release();
    else
      prepared_.reset();
  }
  void allocate() override {
    if constexpr (requires { prepared_->allocate(); })
      prepared_->allocate();
    else
      prepared_.emplace(device_, point_, seed_, sets_);
  }
  void refill(std::uint64_t generation) override {
    if constexpr (requires { prepared_->refill(generation); }) prepared_->refill(generation);
  }
  bool has_inputs() const override {
    return requires(E & e) { e.refill(0); };
  }
  void poison() override { prepared_->poison(); }
  Memory outputs(std::size_t set) const override { return prepared_->outputs(set); }
  Verdict check(ResultIn where) const override { return prepared_->check(where); }
  std::vector<Observation> observe() const override {
    if constexpr (requires { prepared_->observe(); })
      return prepared_->observe();
    else
      return {};
  }
  bool refill_general(Distribution distribution, std::uint64_t draw) override {
    if constexpr (requires { prepared_->refill_general(distribution, draw); })
      return prepared_->refill_general(distribution, draw);
    else
      return false;
  }
  Errors errors(ResultIn where) const override {
    if constexpr (requires { prepared_->errors(where); })
      return prepared_->errors(where);
    else
      return {};
  }
  const E& prepared() const { return *prepared_; }

 private:
  Device& device_;
  Point point_;
  std::uint64_t seed_;
  std::size_t sets_;
  std::optional<E> prepared_;
};

/// An experiment as the registry, the tests and the benchmark see it.
struct ExperimentEntry {
  std::string name;
  std::string summary;
  std::vector<Axis> axes;
  std::function<std::vector<TestPoint>()> test_points;
  std::function<Cost(const Point&)> cost;
  std::function<std::size_t(const Point&)> footprint;
  std::function<std::unique_ptr<Problem>(Device&, const Point&, std::uint64_t seed, std::size_t sets)> prepare;
  bool may_undercut_a_launch = false;
  std::function<double(const Point&)> check_cost = [](const Point&) { return 0.0; };
  std::function<bool(const Point&)> exists = [](const Point&) { return true; };
  std::function<std::vector<Point>()> bench_points = [] { return std::vector<Point>{}; };
  std::function<std::vector<Expectation>(const Point&)> expectations = [](const Point&) {
    return std::vector<Expectation>{};
  };
  std::function<std::vector<CeilingPoint>()> ceilings = [] { return std::vector<CeilingPoint>{}; };
  std::function<std::vector<Finding>(const std::vector<Outcome>&)> findings = [](const std::vector<Outcome>&) {
    return std::vector<Finding>{};
  };
};

/// The entry of E. Compiled once, in experiments/<name>.cpp, which the header says by `extern template`: it holds all
/// of an experiment's code, and a variant's file needs only the arguments.
template <ExperimentType E>
ExperimentEntry describe() {
  ExperimentEntry entry{std::string(E::name),
                        std::string(E::summary),
                        E::axes(),
                        E::test_points,
                        E::cost,
                        E::footprint,
                        [](Device& device, const Point& point, std::uint64_t seed, std::size_t sets) {
                          return std::make_unique<ProblemOf<E>>(device, point, seed, sets);
                        }};
  if constexpr (requires { E::may_undercut_a_launch; }) entry.may_undercut_a_launch = E::may_undercut_a_launch;
  if constexpr (requires { E::check_cost; }) entry.check_cost = E::check_cost;
  if constexpr (requires { E::exists; }) entry.exists = E::exists;
  if constexpr (requires { E::bench_points; }) entry.bench_points = E::bench_points;
  if constexpr (requires { E::expectations; }) entry.expectations = E::expectations;
  if constexpr (requires { E::ceilings; }) entry.ceilings = E::ceilings;
  if constexpr (requires { E::findings; }) {
    if constexpr (std::same_as<decltype(E::findings({})), std::vector<Finding>>)
      entry.findings = E::findings;
    else
      entry.findings = [](const std::vector<Outcome>& outcomes) {
        std::vector<Finding> findings;
        for (const std::string& line : E::findings(outcomes)) findings.push_back(sentence(line));
        return findings;
      };
  }
  return entry;
}

/// The most operations that a reference of one set may take on a device: about a second's on a GPU, in float64, and one
/// or two of a small processor.
double most_check_cost(const DeviceInfo& device);

/// Why `device` takes too long to check every element of a result at `point`, with a smaller point that it checks in
/// time. Empty where it does not: results are checked whole or not at all.
std::string takes_too_long_to_check(const ExperimentEntry& experiment, const Point& point, const DeviceInfo& device);

}  // namespace crosswarp
