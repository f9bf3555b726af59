// `bench tune`: the searches of a run, one for each variant and point, and the table that they make.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/plan.hpp"
#include "core/report.hpp"
#include "core/tuning_table.hpp"

namespace crosswarp {

/// Times cells of one variant and point side by side, as a round of the search. Empty after an interruption.
using TimeRound = std::function<std::vector<Result>(const Group&, std::size_t round, const StopRule&)>;

/// The fastest tuning of a variant at a point.
struct Tuned {
  Result best = {};                        ///< Of the last round.
  std::optional<Ratio> over_default = {};  ///< Time of the default tuning over its own, in the last round of both.
  std::size_t tunings = 0, rounds = 0;
};

/// The plan's groups split by variant, without variants that have one tuning. Throws Error if none is left.
std::vector<Group> searches(const Plan& plan);

/// Searches the tunings of a group: each round times the survivors of the one before, for longer. None where no tuning
/// has a time, or after an interruption.
std::optional<Tuned> search(const Group& group, const StopRule& last, const TimeRound& time);

/// As a line of the table.
TunedPoint tuned_point(const Tuned& tuned);

/// What a run prints at its end: a line for each variant and point.
std::string tuned_table(const std::vector<Tuned>& tuned, const Terminal& terminal);

}  // namespace crosswarp
