// Follows the includes of one backend.
#include "bench/report/source_lines.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <vector>

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> code_of(const fs::path& path) {
  std::vector<std::string> code;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find_first_not_of(" \t\r");
    if (first != line.npos && line.compare(first, 2, "//") != 0) code.push_back(line);
  }
  return code;
}

/// `backends/cuda/` of a path below it.
std::string backend_of(const std::string& path) { return path.substr(0, path.find('/', path.find('/') + 1) + 1); }

bool is_interface(const std::string& header) {
  return header.ends_with("/queue.hpp") || header.find("/platform/") != header.npos;
}

}  // namespace

std::optional<SourceLines> source_lines(const std::string& source) {
  const auto below = source.rfind("backends/");
  if (below == source.npos || !fs::exists(source)) return {};
  const fs::path root = source.substr(0, below);
  const std::string file = source.substr(below), backend = backend_of(file);
  std::set<std::string> known{file};
  std::vector<std::string> ahead{file};
  SourceLines lines{code_of(source).size(), 0};
  while (!ahead.empty()) {
    const std::vector<std::string> code = code_of(root / ahead.back());
    ahead.pop_back();
    lines.with_headers += code.size();
    for (const std::string& line : code) {
      constexpr std::string_view include = "#include \"";
      if (!line.starts_with(include)) continue;
      const std::string header = line.substr(include.size(), line.rfind('"') - include.size());
      if (header.starts_with(backend) && !is_interface(header) && known.insert(header).second) ahead.push_back(header);
    }
  }
  return lines;
}

}  // namespace crosswarp
