// Verdicts: the fastest handwritten variant of an experiment against its first rung, the library and other backends.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace crosswarp {

/// A result beside the fastest handwritten variant.
struct Rival {
  const Result* result;
  Ratio ratio;  ///< Its time over that variant's: above 1, the handwritten variant is faster.
  bool paired;  ///< Sampled in the same rounds.
};

/// A step of a ladder.
struct Step {
  const Result* result;
  std::optional<Ratio> over_parent;  ///< Time of the step before over its own; none for the first step.
};

/// One experiment at one point, in one mode, on one device. Pointers are into the results that it was made from.
struct ExperimentVerdict {
  std::string experiment, mode, device;
  Point point;
  /// Fastest variant of the reference backend, libraries left out; null if none has a time. The reference is CUDA, else
  /// HIP, else another backend than Kokkos, else Kokkos.
  const Result* best = nullptr;
  std::vector<Step> ladder;      ///< From the first rung to `best`, by what each improves on; rungs with a time.
  std::optional<Rival> naive;    ///< The first rung; none if that is `best`.
  std::optional<Rival> library;  ///< Fastest library of any backend.
  std::vector<Rival> others;     ///< Fastest variant of each other backend, in the reference's order.
  std::map<Status, std::size_t> not_ok;  ///< How many results are wrong, failed, implausible, skipped.

  /// Of `others`; null if that backend has no time.
  const Rival* other(const std::string& backend) const;
  /// Whether a result is wrong, failed or implausible.
  bool is_unsound() const;
};

/// One verdict for each experiment, mode, device and point, in the order of first results. `same_run` tells whether two
/// results were sampled in the same rounds: their ratios are paired, others are of two runs.
std::vector<ExperimentVerdict> verdicts(
    const std::vector<const Result*>& results, const std::function<bool(const Result&, const Result&)>& same_run =
                                                   [](const Result&, const Result&) { return true; });

/// The verdict for an experiment's headline: of the points where most of best, first rung, library and other backends
/// have times, the one with the largest cost. Null for no verdicts.
const ExperimentVerdict* headline(const std::vector<const ExperimentVerdict*>& of_experiment);

}  // namespace crosswarp
