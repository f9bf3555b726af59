// What limits a result, in words: the nearest ceiling, and the distance to it.
#pragma once

#include <optional>
#include <string>

#include "core/result.hpp"

namespace crosswarp {

/// Nothing if the result has no time. The ceilings hold for the work of the *problem*: the measured rate of the part
/// that the cost names, the theoretical peak of arithmetic, an empty launch. Far from all of them, counters explain the
/// time if there are any.
std::optional<BoundInWords> bound_in_words(const Result& result);

/// The same for a narrow column: the ceiling that the time is near (`memory`, `tensor_f16`, `launch`), else what the
/// variant declares. Empty if the result has no time.
std::string bound_name(const Result& result);

}  // namespace crosswarp
