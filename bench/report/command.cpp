// By popen: the shell finds the program, and says when there is none.
#include "bench/report/command.hpp"

#include <array>
#include <cstdio>

namespace crosswarp {

std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  std::string output;
  std::array<char, 4096> piece;
  while (const std::size_t got = fread(piece.data(), 1, piece.size(), pipe)) output.append(piece.data(), got);
  return pclose(pipe) == 0 ? std::optional(output) : std::nullopt;
}

}  // namespace crosswarp
