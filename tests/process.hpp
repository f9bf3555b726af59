// Child processes: exit code and output.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace crosswarp {

struct Finished {
  int exit_code = -1;  ///< -1 where a signal ended it.
  std::string output;  ///< Standard output and standard error together.
};

/// Runs a shell command with an empty standard input.
inline Finished run_process(const std::string& command) {
  FILE* pipe = popen(("(" + command + ") 2>&1 </dev/null").c_str(), "r");
  if (!pipe) throw std::runtime_error("popen: " + command);
  Finished finished;
  std::array<char, 4096> piece;
  while (const std::size_t got = fread(piece.data(), 1, piece.size(), pipe)) finished.output.append(piece.data(), got);
  const int status = pclose(pipe);
  finished.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return finished;
}

/// Path of another program of this build, in this program's folder.
inline std::string sibling(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

/// The source tree: CROSSWARP_SOURCE_DIR if set, else the folder of the build.
inline std::filesystem::path source_tree() {
  const char* moved = std::getenv("CROSSWARP_SOURCE_DIR");
  return moved ? moved : CROSSWARP_SOURCE;
}

/// A path of this process's own.
inline std::string temporary_file(const std::string& name) {
  return testing::TempDir() + "crosswarp_" + std::to_string(getpid()) + "_" + name;
}

inline std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace crosswarp
