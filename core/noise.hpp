// Noise: what disturbed a result's samples.
#pragma once

#include <string>

#include "core/result.hpp"

namespace crosswarp {

/// Why a result's time is unreliable, `waited for a processor 35 % of the time`; empty if nothing disturbed its
/// samples, or if it has no time.
std::string noise(const Result& result);

/// Speedup, marked if it is noisy: `1.05`, `~1.05`.
std::string times(const Ratio& ratio);

/// Before a time or ratio that noise makes unreliable.
inline const std::string noisy_mark = "~";

}  // namespace crosswarp
