// What is computed: an experiment's definition, its inputs on a device, and its oracle.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.hpp"
#include "core/point.hpp"

namespace crosswarp {

/// What the *problem* needs at a point, whatever a variant really moves: every input read once, every output written
/// once.
struct Cost {
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;
  double accesses = 0;  ///< Elements touched, for experiments that count accesses.
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

/// What a header in experiments/ defines: one class, whose objects are prepared problems on one device.
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
  E(device, point, seed, sets);                          // `sets` distinct inputs, seeded
  { prepared.args(set) } -> std::same_as<typename E::Args>;
  mutable_prepared.poison();
  { prepared.check(where) } -> std::same_as<Verdict>;
};

/// A prepared problem, whatever its experiment.
class Problem {
 public:
  virtual ~Problem() = default;
  /// Poisons every output.
  virtual void poison() = 0;
  /// The worst verdict over all sets, guard bands included. Waits for the device.
  virtual Verdict check(ResultIn where) const = 0;
};

template <ExperimentType E>
class ProblemOf final : public Problem {
 public:
  ProblemOf(Device& device, const Point& point, std::uint64_t seed, std::size_t sets)
      : prepared_(device, point, seed, sets) {}
  void poison() override { prepared_.poison(); }
  Verdict check(ResultIn where) const override { return prepared_.check(where); }
  const E& prepared() const { return prepared_; }

 private:
  E prepared_;
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
};

template <ExperimentType E>
ExperimentEntry describe() {
  return {std::string(E::name),
          std::string(E::summary),
          E::axes(),
          E::test_points,
          E::cost,
          E::footprint,
          [](Device& device, const Point& point, std::uint64_t seed, std::size_t sets) {
            return std::make_unique<ProblemOf<E>>(device, point, seed, sets);
          }};
}

}  // namespace crosswarp
