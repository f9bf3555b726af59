// Runs external programs: gnuplot, python3.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace crosswarp {

struct Ran {
  bool is_there;                      ///< Whether the PATH has such a program.
  std::optional<std::string> output;  ///< Nothing where it failed.
};

/// Runs a program from the PATH with `input` as its standard input. Uses no shell and no temporary file. Drops its
/// standard error.
Ran run_program(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace crosswarp
