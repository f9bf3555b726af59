// Rules of the source tree. Includes run one way: core ← experiments ← backends, and no backend but backends/gpu and
// backends/mpi is included by another. Kokkos's headers stay in backends/kokkos, GPU headers out of core, experiments
// and backends/gpu. A backend's headers are primitives of several experiments, or stand in the room of the one
// experiment that uses them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;

/// Project headers that files below a folder may include, as the beginning of the path. backends/hip compiles the
/// kernels of backends/cuda, so its own may use their headers.
const std::map<std::string, std::set<std::string>> allowed{
    {"core", {"core/"}},
    {"experiments", {"core/", "experiments/"}},
    {"backends/gpu", {"core/", "backends/gpu/", "platform/"}},
    {"backends/cuda", {"core/", "experiments/", "backends/gpu/", "backends/cuda/", "backends/mpi/"}},
    {"backends/hip", {"core/", "experiments/", "backends/gpu/", "backends/hip/", "backends/cuda/", "platform/"}},
    {"backends/simt", {"core/", "experiments/", "backends/gpu/", "backends/simt/", "platform/"}},
    {"backends/kokkos", {"core/", "experiments/", "backends/gpu/", "backends/kokkos/", "backends/mpi/"}},
    {"backends/mpi", {"core/", "backends/mpi/"}},
    {"backends/host", {"core/", "experiments/", "backends/host/", "backends/mpi/"}},
    {"bench", {"core/", "bench/"}},
};

/// Vendor headers by pattern, and the beginnings of paths that may include them. Escape hatches may include all.
const std::map<std::string, std::set<std::string>> vendors{
    {"^Kokkos", {"backends/kokkos/"}},
    {"^(cuda|cupti|cub/|thrust/|cublas|mma\\.h|nv)",
     {"backends/cuda/", "backends/hip/platform/", "backends/gpu/nvidia"}},
    {"^(hip|roc)", {"backends/hip/"}},
    {"^mpi", {"backends/mpi/"}},
};

bool starts_with_any(const std::string& path, const std::set<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& p) { return path.starts_with(p); });
}

/// Paths of the source files below a folder, relative to the source tree.
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_tree() / folder))
    if (entry.is_regular_file() && entry.path().extension() != ".txt")
      files.push_back(fs::relative(entry.path(), source_tree()).string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(source_tree() / file).rdbuf();
  return text.str();
}

/// Whether a portable variant declares native code in its kernel.
bool is_escape_hatch(const std::string& file) {
  return text_of(file).find("    .escape_hatch = ") != std::string::npos;
}

struct Include {
  std::string header;
  bool quoted;  ///< "project/header.hpp", not <header>.
};

std::vector<Include> includes_of(const std::string& file) {
  static const std::regex include("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">]");
  std::vector<Include> includes;
  std::istringstream text(text_of(file));
  std::smatch match;
  for (std::string line; std::getline(text, line);)
    if (std::regex_search(line, match, include)) includes.push_back({match[2], match[1] == "\""});
  return includes;
}

TEST(Layering, IncludesRunOneWay) {
  std::size_t files = 0;
  for (const auto& [folder, may] : allowed)
    for (const std::string& file : files_below(folder)) {
      ++files;
      for (const auto& [header, quoted] : includes_of(file)) {
        if (quoted) {
          EXPECT_TRUE(starts_with_any(header, may)) << file << " may not include " << header;
        }
        for (const auto& [pattern, home] : vendors)
          if (std::regex_search(header, std::regex(pattern))) {
            EXPECT_TRUE(starts_with_any(file, home) || is_escape_hatch(file)) << file << " may not include " << header;
          }
      }
    }
  EXPECT_GT(files, 30u) << "the folders have moved; this test looks at nothing";
}

/// The experiment of a path like `backends/cuda/reduce_sum/float4.cu` or `tests/broken/cuda/reduce_sum/faults.cu`;
/// empty where the path is of no experiment.
std::string experiment_of(const std::string& path) {
  static const std::regex room("^(?:backends|tests/broken)/[^/]+/([^/]+)/[^/]+$");
  std::smatch match;
  if (!std::regex_match(path, match, room)) return {};
  return fs::exists(source_tree() / "experiments" / (match[1].str() + ".hpp")) ? match[1].str() : "";
}

const std::vector<std::string> rooms{"backends", "tests/broken"};

TEST(Layering, ARoomsHeadersAreOfOneExperiment) {
  std::size_t headers = 0;
  for (const std::string& folder : rooms)
    for (const std::string& file : files_below(folder))
      for (const auto& [header, quoted] : includes_of(file))
        if (const std::string experiment = experiment_of(header); quoted && !experiment.empty()) {
          ++headers;
          EXPECT_EQ(experiment_of(file), experiment) << file << " includes " << header;
        }
  EXPECT_GT(headers, 30u);
}

/// Experiments that use each header below `folder`, directly or through other headers of the project.
std::map<std::string, std::set<std::string>> users_of_headers(const std::string& folder) {
  std::map<std::string, std::set<std::string>> users;
  for (const std::string& file : files_below(folder))
    if (file.ends_with(".hpp")) users[file];
  for (const std::string& file : files_below("backends"))
    if (const std::string experiment = experiment_of(file); !experiment.empty() && !file.ends_with(".hpp")) {
      std::vector<std::string> reached{file};
      std::set<std::string> seen;
      while (!reached.empty()) {
        const std::string next = reached.back();
        reached.pop_back();
        if (!seen.insert(next).second || !fs::exists(source_tree() / next)) continue;
        if (const auto header = users.find(next); header != users.end()) header->second.insert(experiment);
        for (const auto& [header, quoted] : includes_of(next))
          if (quoted && header.starts_with("backends/")) reached.push_back(header);
      }
    }
  return users;
}

TEST(Layering, DevicePrimitivesServeSeveralExperiments) {
  const auto users = users_of_headers("backends/cuda/device");
  EXPECT_GT(users.size(), 5u);
  EXPECT_LE(users.size(), 16u) << "more than a reader knows by name";
  for (const auto& [header, experiments] : users)
    EXPECT_GE(experiments.size(), 2u) << header << " belongs to the room of the experiment that uses it";
}

TEST(Layering, KokkosHeadersBesideTheRoomsServeSeveralExperiments) {
  for (const auto& [header, experiments] : users_of_headers("backends/kokkos"))
    if (experiment_of(header).empty() && !header.ends_with("/runtime.hpp")) {
      EXPECT_GE(experiments.size(), 2u) << header << " belongs to the room of the experiment that uses it";
    }
}

/// A handwritten variant's file holds its kernel. The exceptions launch what others hold, each in a way that its text
/// shows: they dispatch (`adaptive`, `autotuned`) or leave the work to the copy engine. The rest is named here: one
/// kernel under several settings, or of several types.
TEST(Layering, HandwrittenVariantsHoldTheirKernels) {
  const std::set<std::string> one_kernel{
      // A tile in shared memory by three layouts; a product by two shapes of blocks.
      "bank_conflict/padded", "bank_conflict/plain", "bank_conflict/xor_swizzle", "matmul_f32/naive_16x16",
      "matmul_f32/naive_32x8",
      // A chain of instructions by streams; launches of an empty kernel by graphs; copies before a product; a product
      // of rows where they lie.
      "all_gather_matmul/pull_in_place", "concurrent_kernels/one_stream", "concurrent_kernels/streams",
      "launch_overhead/graph", "launch_overhead/graph_gated", "matmul_f16/repack",
      // A matrix times a vector in several types: the file says which, the kernels are in backends/cuda/gemv/.
      "matmul_f16/cluster_gemv", "matmul_f16/gemv", "matmul_f32/cluster_gemv", "matmul_f32/gemv",
      "matmul_f64/cluster_gemv", "matmul_f64/gemv", "matmul_tf32/gemv"};
  std::set<std::string> found;
  std::size_t variants = 0;
  for (const std::string& file : files_below("backends/cuda"))
    if (file.ends_with(".cu") && !experiment_of(file).empty()) {
      const std::filesystem::path path(file);
      const std::string text = text_of(file), name = experiment_of(file) + "/" + path.stem().string();
      ++variants;
      const auto has = [&](const char* words) { return text.find(words) != text.npos; };
      const bool dispatches = path.stem() == "adaptive" || path.stem() == "autotuned";
      if (has("__global__") || has(".library = true") || has(" copy(queue, ") || dispatches) continue;
      found.insert(name);
      EXPECT_TRUE(one_kernel.contains(name)) << file << " has no __global__ function";
    }
  EXPECT_GT(variants, 50u);
  EXPECT_EQ(found, one_kernel) << "names here that are no exception any more";
}

}  // namespace
}  // namespace crosswarp
