// Programs that reports are made with.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace crosswarp {

struct Ran {
  bool is_there;                      ///< Whether the PATH has such a program.
  std::optional<std::string> output;  ///< Nothing where it failed.
};

/// Runs a program of the PATH with these arguments, and with `input` as its standard input: no shell, and no file that
/// another user could have put in the way. What it says on standard error is dropped.
Ran run_program(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace crosswarp
