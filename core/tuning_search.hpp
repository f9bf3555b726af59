// Successive halving over the tunings of a variant at one point: short samples of all, long ones of the fastest.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/sampler.hpp"

namespace crosswarp {

/// Rounds that leave two of `candidates`, halving them each time; 1 at least.
std::size_t search_rounds(std::size_t candidates);

/// The stopping rule of a round: that of the options in the last one, and a quarter of the next one's times in those
/// before, but never less than two placements and eight samples.
StopRule search_rule(const StopRule& last, std::size_t round, std::size_t rounds);

/// Indices of the candidates that take part in the next round: the faster half of `seconds`, without those that take
/// more than twice as long as the fastest. A candidate without a time is out. In order of time.
std::vector<std::size_t> survivors(const std::vector<std::optional<double>>& seconds);

}  // namespace crosswarp
