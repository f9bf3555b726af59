// Verdicts: the fastest handwritten variant of an experiment against its first rung, the library and other backends.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace crosswarp {

/// Whether two results are of one run.
using SameRun = std::function<bool(const Result&, const Result&)>;
inline bool always_same_run(const Result&, const Result&) { return true; }

/// compare() of core/result.hpp for results of several runs: one experiment, point and mode.
void compare(const std::vector<Result*>& results, const std::vector<std::string>& backends, const SameRun& same_run);

/// A result beside the fastest handwritten variant.
struct Rival {
  const Result* result;
  Ratio ratio;  ///< Its time over that variant's: above 1, the handwritten variant is faster.
  bool paired;  ///< Sampled in the same rounds.
  std::string why_no_ratio = {};  ///< Then `ratio` has no meaning: the numbers of host threads differ.
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
  std::vector<const Result*> results;  ///< All of them.
  /// Fastest variant of the reference backend, libraries left out; null if none has a time.
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

/// One verdict for each experiment, mode, device and point, in the order of first results.
std::vector<ExperimentVerdict> verdicts(const std::vector<const Result*>& results,
                                        const SameRun& same_run = always_same_run);

/// Order of backends as references, the first one first: CUDA, HIP, others, Kokkos. Handwritten code comes before
/// portable code.
int reference_order(const std::string& backend);

/// The verdict that stands for an experiment: at the last of its headline points that has a fastest variant; without
/// one, at the largest of the points where most of fastest variant, first rung, library and other backends have times.
/// Null for no verdicts.
const ExperimentVerdict* headline(const std::vector<const ExperimentVerdict*>& of_experiment,
                                  const std::vector<Point>& headline_points = {});

}  // namespace crosswarp
