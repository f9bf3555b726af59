// Runs external programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace crosswarp {

struct Ran {
  bool is_there;                      ///< Whether the PATH has such a program.
  std::optional<std::string> output;  ///< Nothing where it failed.
};

/// Runs a program from the PATH without input and without a shell. Drops its standard error.
Ran run_program(const std::vector<std::string>& arguments);

}  // namespace crosswarp
