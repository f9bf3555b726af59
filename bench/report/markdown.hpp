// Tables for README and docs, from the JSON of earlier runs.
#pragma once

#include <string>
#include <vector>

namespace crosswarp {

/// Writes one table for each experiment, mode and device to `output` (standard output where empty): a line for each
/// rung, a column for each point. Throws Error where a file cannot be read or is not one of ours.
void write_markdown(const std::vector<std::string>& inputs, const std::string& output);

}  // namespace crosswarp
