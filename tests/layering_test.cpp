// Includes run one way: core ← experiments ← backends; backends/gpu apart, no backend includes another; and no Kokkos
// header is seen outside backends/kokkos, no GPU header in core, experiments or backends/gpu, which sees those of the
// platform that it is compiled for.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

/// What files below a folder may include of the project, as the beginning of the path.
const std::map<std::string, std::set<std::string>> allowed{
    {"core", {"core/"}},
    {"experiments", {"core/", "experiments/"}},
    {"backends/gpu", {"core/", "backends/gpu/", "platform/"}},
    {"backends/cuda", {"core/", "experiments/", "backends/gpu/", "backends/cuda/"}},
    {"backends/hip", {"core/", "experiments/", "backends/gpu/", "backends/hip/", "platform/"}},
    {"backends/simt", {"core/", "experiments/", "backends/gpu/", "backends/simt/", "platform/"}},
    {"backends/kokkos", {"core/", "experiments/", "backends/gpu/", "backends/kokkos/"}},
    {"backends/host", {"core/", "experiments/", "backends/host/"}},
    {"bench", {"core/", "bench/"}},
};

/// Vendor headers, and where they belong, as the beginning of the path: what backends/gpu needs of them, its platform
/// names, and beyond that a maker's own file there may use the maker's tools.
const std::map<std::string, std::set<std::string>> vendors{
    {"^Kokkos", {"backends/kokkos/"}},
    {"^(cuda|cupti|cub/|thrust/|cublas|mma\\.h|nv)",
     {"backends/cuda/", "backends/hip/platform/", "backends/gpu/nvidia"}},
    {"^hip", {"backends/hip/"}},
};

bool starts_with_any(const std::string& path, const std::set<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& p) { return path.starts_with(p); });
}

TEST(Layering, IncludesRunOneWay) {
  const fs::path source = source_tree();
  const std::regex include("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">]");
  std::size_t files = 0;
  for (const auto& [folder, may] : allowed)
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() == ".txt") continue;
      ++files;
      const std::string name = fs::relative(entry.path(), source).string();
      std::ifstream text(entry.path());
      for (std::string line; std::getline(text, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, include)) continue;
        const std::string header = match[2];
        if (match[1] == "\"") {
          EXPECT_TRUE(starts_with_any(header, may)) << name << " may not include " << header;
        }
        for (const auto& [pattern, home] : vendors)
          if (std::regex_search(header, std::regex(pattern))) {
            EXPECT_TRUE(starts_with_any(name, home)) << name << " may not include " << header;
          }
      }
    }
  EXPECT_GT(files, 30u) << "the folders have moved; this test looks at nothing";
}

}  // namespace
}  // namespace crosswarp
