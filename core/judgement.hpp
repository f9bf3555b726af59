// From verdicts, counters and limits to the status of a result.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"

namespace crosswarp {

/// Sets status and note by a verdict. `when` is a prefix of the note if the verdict is not ok.
void set_verdict(Result& result, Verdict verdict, const std::string& when = "");
void fail(Result& result, const std::string& why);
void skip(Result& result, const std::string& why);

/// Compares counters with the experiment's expectations. A contradiction makes the result implausible.
void check_expectations(Result& result);
/// No launch is faster than an empty one: makes a faster result implausible. `floor`: empty launches by the same
/// mechanism, in the same rounds.
void check_floor(Result& result, const Placements& floor);

}  // namespace crosswarp
