// Programs that reports are made with.
#pragma once

#include <optional>
#include <string>

namespace crosswarp {

/// What `command`, for the shell, writes to its standard output; nothing where it fails.
std::optional<std::string> output_of(const std::string& command);

}  // namespace crosswarp
