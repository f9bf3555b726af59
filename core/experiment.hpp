// Experiments: definition, inputs on a device, oracle.
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

/// The numerator of a rate.
enum class Quantity { bytes, flops, accesses };

std::string to_string(Quantity quantity);
/// Throws Error for an unknown name.
Quantity quantity(std::string_view text);

/// Work of the *problem* at a point, the same for all variants: every input read once, every output written once.
struct Cost {
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;                     ///< Operations; a multiply-add is two.
  double accesses = 0;                  ///< Elements accessed, or dependent steps.
  double message = 0;                   ///< Over ranks: bytes of the operation, as nccl-tests counts them; bytes_read
                                        ///< is then what crosses a rank's link.
  double left_out = 0;                  ///< Accesses by which a shortened launch has fewer; 0: there is none.
  Quantity rated = Quantity::bytes;     ///< The numerator of the rate.
  std::string_view ceiling = "memory";  ///< Device part (Peaks) that limits the rate; empty for none.

  /// Amount of `rated`.
  double amount() const {
    return rated == Quantity::bytes ? bytes_read + bytes_written : rated == Quantity::flops ? flops : accesses;
  }
};

/// A number in the outputs, beside the result: `{"cycles_per_load", "cycle", 34.2}`.
struct Observation {
  std::string name;
  std::string unit;
  double value;
};

/// Counter range that proves that a cell measures what its name says.
struct Expectation {
  std::string_view counter;  ///< A name in core/counters.cpp.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// Point at which an experiment measures a ceiling for others.
struct CeilingPoint {
  std::string_view ceiling;
  Point point;
};

/// The name in Outcome::observed of a step's nanoseconds by launches of two lengths (Result::step_time).
inline constexpr std::string_view ns_per_step = "ns_per_step_by_launches";

/// A cell's result, for findings.
struct Outcome {
  std::string rung;
  Point point;
  double seconds;  ///< Per launch.
  Cost cost;
  std::map<std::string, double> observed;
};

/// The oracle's verdict on one result.
struct Verdict {
  bool ok = false;
  double error = std::numeric_limits<double>::quiet_NaN();  ///< Worst difference from the oracle; NaN for a NaN.
  double bound = 0;                                         ///< Largest correct difference, by type and size.
  std::string where;                                        ///< Location and value of the worst difference.
};

/// `sum is 3.5, should be 4`, for Verdict::where.
std::string mismatch(std::string_view what, double is, double should_be);

/// Memory that holds a result.
enum class ResultIn { device, host };

/// A point to test. `slow` ones take seconds or gigabytes.
struct TestPoint {
  Point point;
  bool slow = false;
};

/// Ranges of device memory.
using Memory = std::vector<std::span<std::byte>>;

/// args() and outputs() of one rank. An experiment on one device has these of the set alone.
template <class E>
auto args_of(const E& prepared, std::size_t set, std::size_t rank) {
  if constexpr (requires { prepared.args(set, rank); })
    return prepared.args(set, rank);
  else
    return prepared.args(set);
}
template <class E>
Memory outputs_of(const E& prepared, std::size_t set, std::size_t rank) {
  if constexpr (requires { prepared.outputs(set, rank); })
    return prepared.outputs(set, rank);
  else
    return prepared.outputs(set);
}

/// Requirements on the class that a header in experiments/ defines. An object is a problem on one device. Optional
/// members:
///
///     void refill(std::uint64_t generation);      // enqueues filling all inputs in place with the numbers of a
///                                                 // generation; check() then expects their results. Required if
///                                                 // outputs depend on data. args() must not change
///     void release();                             // frees all inputs and outputs; and
///     void allocate();                            // allocates them again, unfilled. For objects with other state that
///                                                 // is worth keeping; others are destroyed and made again
///     bool refill_general(Distribution, std::uint64_t draw);  // enqueues filling the inputs of set 0 with general
///                                                 // numbers; false if results at this point do not round, or the
///                                                 // type does not hold the numbers. check() requires refill() again
///     Errors errors(ResultIn where) const;        // of set 0's outputs; required with refill_general()
///     void shorten(bool);                         // launches take Cost::left_out fewer dependent steps from now on,
///     or
///                                                 // all again; args() and check() follow. The difference of the two
///                                                 // times is that of steps alone, without a clock in the kernel
///     std::vector<Observation> observe() const;   // from the last results that check() found correct, over all sets
///     static constexpr bool may_undercut_a_launch = true;  // an empty kernel's time is no lower limit
///     static bool exists(const Point&);           // excludes combinations of the axes' values
///     static std::vector<Point> bench_points();   // default points of joint axes (rows and columns), instead of the
///                                                 // product of their values
///     static std::vector<Point> headline_points();  // for an overview: from the smallest up; the last says most about
///                                                 // a GPU, the others are for less memory or time
///     static double check_cost(const Point&);     // operations of a reference of one set, if more than a few per
///                                                 // element
///     static std::vector<Expectation> expectations(const Point&);
///     static std::vector<CeilingPoint> ceilings();
///     static std::vector<Finding> findings(const std::vector<Outcome>&);  // of one device and mode
///
/// An experiment that spans ranks (core/ranks.hpp) has in addition
///
///     static std::size_t ranks(const Point&);     // 2 or more; its Device is then a group of as many
///     Args args(std::size_t set, std::size_t rank) const;       // in place of args(set): what one rank is given
///     Memory outputs(std::size_t set, std::size_t rank) const;  // in place of outputs(set): in that rank's memory
///     void pipeline(const std::function<void(std::size_t set)>& launch);  // launches, waiting for none of them,
///                                                 // between other work on each rank's queue that writes its inputs
///                                                 // directly before and overwrites them directly behind; then waits
///     static bool updates_inputs(const Point&);   // a launch replaces its inputs: verified, and not timed
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
  { args_of(prepared, set, 0) } -> std::same_as<typename E::Args>;
  { outputs_of(prepared, set, 0) } -> std::same_as<Memory>;  // what a launch on `set` writes, and poison() poisons
  mutable_prepared.poison();
  { prepared.check(where) } -> std::same_as<Verdict>;
};

/// A problem on a device, of any experiment. Its memory is unfilled before refill().
class Problem {
 public:
  virtual ~Problem() = default;
  /// Frees inputs and outputs. allocate() takes them again, at other addresses if memory was allocated in between.
  /// Requires that no bound variant is left.
  virtual void release() = 0;
  virtual void allocate() = 0;
  /// Enqueues filling the inputs in place with the numbers of a generation.
  virtual void refill(std::uint64_t generation) = 0;
  /// False if launches read no data: then refill() changes nothing.
  virtual bool has_inputs() const = 0;
  /// Poisons every output.
  virtual void poison() = 0;
  /// Memory of `rank` that a launch on `set` writes.
  virtual Memory outputs(std::size_t set, std::size_t rank = 0) const = 0;
  /// The worst verdict over all sets for the last generation, with guard bands. Waits for the device.
  virtual Verdict check(ResultIn where) const = 0;
  virtual std::vector<Observation> observe() const = 0;
  /// Whether launches leave out Cost::left_out steps from now on, which check() then expects. Requires that the cost
  /// has some.
  virtual void shorten(bool is_shorter) = 0;
  /// The verdict on launches between other work on each rank's queue, which writes a launch's inputs directly before
  /// and overwrites them directly behind. Restores the inputs. Nothing if the experiment spans no ranks: then the order
  /// of one queue is all there is.
  virtual std::optional<Verdict> check_pipeline(const std::function<void(std::size_t)>& launch, ResultIn where) = 0;
  /// Fills the inputs of set 0 with general numbers, different in each draw. False if results at this point do not
  /// round.
  virtual bool refill_general(Distribution distribution, std::uint64_t draw) = 0;
  /// Errors of set 0's outputs on general numbers, or of evenly spread ones. Waits for the device.
  virtual Errors errors(ResultIn where) const = 0;
};

/// Experiments over several devices (core/ranks.hpp).
template <class E>
concept OverRanks = requires {
  E::ranks;
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
    generation_ = generation;
  }
  bool has_inputs() const override {
    return requires(E & e) { e.refill(0); };
  }
  void poison() override { prepared_->poison(); }
  Memory outputs(std::size_t set, std::size_t rank) const override { return outputs_of(*prepared_, set, rank); }
  Verdict check(ResultIn where) const override { return prepared_->check(where); }
  std::vector<Observation> observe() const override {
    if constexpr (requires { prepared_->observe(); })
      return prepared_->observe();
    else
      return {};
  }
  void shorten(bool is_shorter) override {
    if constexpr (requires { prepared_->shorten(is_shorter); }) prepared_->shorten(is_shorter);
  }
  std::optional<Verdict> check_pipeline(const std::function<void(std::size_t)>& launch, ResultIn where) override {
    if constexpr (requires { prepared_->pipeline(launch); }) {
      prepared_->pipeline(launch);
      const Verdict verdict = check(where);
      refill(generation_);
      return verdict;
    }
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
  std::size_t sets() const { return sets_; }
  const E& prepared() const { return *prepared_; }

 private:
  Device& device_;
  Point point_;
  std::uint64_t seed_;
  std::size_t sets_;
  std::uint64_t generation_ = 0;  // last filled
  std::optional<E> prepared_;
};

/// An experiment in the registry.
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
  std::function<std::size_t(const Point&)> ranks = [](const Point&) { return std::size_t{1}; };
  RelocateArgs relocate_args = nullptr;  ///< Null where ranks cannot be processes.
  std::function<bool(const Point&)> updates_inputs = [](const Point&) { return false; };
  std::function<std::vector<Point>()> bench_points = [] { return std::vector<Point>{}; };
  std::function<std::vector<Point>()> headline_points = [] { return std::vector<Point>{}; };
  std::function<std::vector<Expectation>(const Point&)> expectations = [](const Point&) {
    return std::vector<Expectation>{};
  };
  std::function<std::vector<CeilingPoint>()> ceilings = [] { return std::vector<CeilingPoint>{}; };
  std::function<std::vector<Finding>(const std::vector<Outcome>&)> findings = [](const std::vector<Outcome>&) {
    return std::vector<Finding>{};
  };
};

/// The entry of E. Instantiated in experiments/<name>.cpp only, by `extern template` in the header: a variant's file
/// needs none of the experiment's code. The parameter is a plain class: clang (from 18 on, hipcc's too) puts a concept
/// into the symbol's name and GCC does not, and a program links objects of both.
template <class E>
ExperimentEntry describe() {
  static_assert(ExperimentType<E>);
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
  if constexpr (OverRanks<E>) entry.ranks = E::ranks;
  if constexpr (requires(typename E::Args & args, const RelocateSpan& to) { relocate(args, to); })
    entry.relocate_args = [](std::span<std::byte> bytes, const RelocateSpan& to) {
      std::array<std::byte, sizeof(typename E::Args)> raw;
      std::ranges::copy(bytes, raw.begin());
      auto args = std::bit_cast<typename E::Args>(raw);
      relocate(args, to);
      std::ranges::copy(std::as_bytes(std::span(&args, 1)), bytes.begin());
    };
  if constexpr (requires { E::updates_inputs; }) entry.updates_inputs = E::updates_inputs;
  if constexpr (requires { E::bench_points; }) entry.bench_points = E::bench_points;
  if constexpr (requires { E::headline_points; }) entry.headline_points = E::headline_points;
  if constexpr (requires { E::expectations; }) entry.expectations = E::expectations;
  if constexpr (requires { E::ceilings; }) entry.ceilings = E::ceilings;
  if constexpr (requires { E::findings; }) entry.findings = E::findings;
  return entry;
}

/// Max operations of a reference of one set: about 1 s on a GPU (float64), 1 to 2 s on a small CPU.
double most_check_cost(const DeviceInfo& device);

/// Why `device` takes too long to check every element of a result at `point`, with a smaller point that fits; empty if
/// it does not. Results are checked in full or not at all.
std::string takes_too_long_to_check(const ExperimentEntry& experiment, const Point& point, const DeviceInfo& device);

/// Max part of a device's memory for a default point.
inline constexpr std::size_t default_share = 32;

/// Whether a default or random point takes no more than a small share of the device's memory, and its check little
/// time.
bool is_default_size(const ExperimentEntry& experiment, const Point& point, const DeviceInfo& device);

/// Max bytes of a point that an emulation, a thousand times slower than a device, takes in tests.
inline constexpr std::size_t most_emulated_bytes = 300'000;

}  // namespace crosswarp
