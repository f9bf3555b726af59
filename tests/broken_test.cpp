// Every variant under tests/broken gets no rate and the right verdict, each in a process of its own.
//
// Comments in a file state how it is run and caught:
//     // at: FLAGS         the point, and flags of bench (without: --n 1003)
//     // needs: GPU        or: host, two devices, two ranks (of any number, where they are emulated); otherwise skipped
//     // caught by: WAY    verification or timed run; default: both
//     // runs: N           of which one catches it: a race that a busy machine may hide; default: 1
//     // says: TEXT        what the report must contain; from `implausible:` on where that is the verdict
//     // caught here       after the line that a sanitizer or the emulation must name
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/launcher.hpp"
#include "tests/process.hpp"

namespace crosswarp {
namespace {

constexpr const char* by_verification = "verification";
constexpr const char* by_timed_run = "timed run";

/// A file under tests/broken, on one of the backends that it is compiled for.
struct BrokenVariant {
  std::string program, backend, name;
  std::filesystem::path file;
  std::map<std::string, std::string> marks;

  std::string mark(const std::string& key, const std::string& otherwise = {}) const {
    const auto found = marks.find(key);
    return found == marks.end() ? otherwise : found->second;
  }
  /// Whether its ranks are processes.
  bool is_of_processes() const {
    const std::string path = file.string();
    return path.find("/broken/mpi/") != path.npos || path.find("/broken/kokkos_mpi/") != path.npos;
  }
  bool is_emulated() const { return backend.starts_with("simt"); }
  /// Whether a run of that kind must catch it. An emulation is never timed.
  bool is_caught(const std::string& way) const {
    return mark("caught by", way) == way && !(way == by_timed_run && is_emulated());
  }
};

/// For GoogleTest, which would print its bytes.
void PrintTo(const BrokenVariant& variant, std::ostream* out) { *out << variant.file; }

std::filesystem::path root() { return source_tree() / "tests/broken"; }

/// All variants, by path.
std::vector<std::filesystem::path> broken_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root()))
    if (file.path().extension() == ".cpp" || file.path().extension() == ".cu") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// What the comment lines at the top of a file say as `// key: value`.
std::map<std::string, std::string> marks_of(const std::filesystem::path& file) {
  static const std::set<std::string> keys{"at", "needs", "caught by", "runs", "says"};
  std::map<std::string, std::string> marks;
  std::ifstream text(file);
  for (std::string line; std::getline(text, line) && line.starts_with("// ");) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && keys.contains(line.substr(3, colon - 3)))
      marks[line.substr(3, colon - 3)] = line.substr(colon + 2);
  }
  return marks;
}

/// Each file on each of its backends, whether or not this build has them.
std::vector<BrokenVariant> broken_variants() {
  using Where = std::pair<std::string, std::string>;  // program, backend
  const std::map<std::string, std::vector<Where>> backends{
      {"host", {{"broken_bench", "host"}}},
      {"mpi", {{"broken_bench", "host"}}},
      {"kokkos", {{"broken_bench", "kokkos"}}},
      {"kokkos_mpi", {{"broken_bench", "kokkos"}}},
      {"cuda", {{"broken_bench", "cuda"}, {"broken_bench", "hip"}, {"broken_asan", "simt"}}},
      {"nvidia", {{"broken_bench", "cuda"}}},
      {"simt", {{"broken_asan", "simt"}}},
      {"race", {{"broken_tsan", "simt"}}}};
  std::vector<BrokenVariant> all;
  for (const auto& file : broken_files())
    for (const auto& [program, backend] : backends.at(std::filesystem::relative(file, root()).begin()->string()))
      all.push_back({program, backend, file.stem().string(), file, marks_of(file)});
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return std::tie(a.backend, a.file) < std::tie(b.backend, b.file); });
  return all;
}

std::vector<BrokenVariant> caught(const std::string& way) {
  std::vector<BrokenVariant> variants = broken_variants();
  std::erase_if(variants, [&](const BrokenVariant& v) { return !v.is_caught(way); });
  return variants;
}

/// `file.cu:12`, for the line that is marked as the one to be caught; empty where none is.
std::string marked_line(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::size_t number = 1;
  for (std::string line; std::getline(text, line); ++number)
    if (line.find("// caught here") != std::string::npos)
      return file.filename().string() + ":" + std::to_string(number);
  return {};
}

/// Words by which a sanitizer that ends a program says why.
bool sanitizer_complains(const std::string& output) {
  for (const char* words : {"ERROR: AddressSanitizer", "runtime error: ", "WARNING: ThreadSanitizer"})
    if (output.find(words) != std::string::npos) return true;
  return false;
}

/// The lines of `bench devices` that begin with a backend's name: its devices, or why there is none.
std::vector<std::string> device_lines(const std::string& devices, const std::string& backend) {
  std::vector<std::string> lines;
  std::istringstream text(devices);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(backend + " ")) lines.push_back(line);
  return lines;
}

/// The third column of such a line: `sm_90`, `x86_64`.
std::string architecture(const std::string& device_line) {
  std::istringstream columns(device_line);
  std::string word;
  for (int i = 0; i < 3; ++i) columns >> word;
  return word;
}

class Broken : public testing::TestWithParam<BrokenVariant> {
 protected:
  /// Runs the program that holds this variant, on it alone.
  Finished run(const std::string& arguments) const {
    const BrokenVariant& v = GetParam();
    return run_process((v.is_of_processes() ? mpirun(3) : "") + sibling(v.program) + " -q --backend " + v.backend +
                       " --variant " + v.name + " --experiment " + v.file.parent_path().filename().string() + " " +
                       v.mark("at", "--n 1003") + " " + arguments);
  }

  void SetUp() override {
    const BrokenVariant& v = GetParam();
    if (!std::filesystem::exists(sibling(v.program))) GTEST_SKIP() << "no " << v.program << " here";
    if (const std::string why = v.is_of_processes() ? why_no_mpi(sibling(v.program)) : ""; !why.empty())
      GTEST_SKIP() << why;
    const Finished devices = run_process(sibling(v.program) + " devices");
    ASSERT_EQ(devices.exit_code, 0) << devices.output;
    const std::vector<std::string> lines = device_lines(devices.output, v.backend);
    if (lines.empty()) GTEST_SKIP() << "no backend " << v.backend << " here";
    if (lines.front().find(" has no device here: ") != std::string::npos) GTEST_SKIP() << "no device for " << v.backend;
    const std::string needs = v.mark("needs");
    if (needs == "two devices" && lines.size() < 2) GTEST_SKIP() << v.backend << " has one device only";
    if (needs == "two ranks" && !v.is_emulated() && (lines.size() < 2 || v.backend == "hip"))
      GTEST_SKIP() << v.backend << " has no two ranks";
    if (const auto host = device_lines(devices.output, "host"); !host.empty()) {
      const bool is_on_host = architecture(lines.front()) == architecture(host.front());
      if (needs == "GPU" && is_on_host) GTEST_SKIP() << v.backend << " runs on the host";
      if (needs == "host" && !is_on_host) GTEST_SKIP() << v.backend << " runs on a GPU";
    }
  }
};

class BrokenVerified : public Broken {};

TEST_P(BrokenVerified, IsCaught) {
  Finished verified = run("--verify");
  for (int again = 1; again < std::stoi(GetParam().mark("runs", "1")) && verified.exit_code == 0; ++again)
    verified = run("--verify");
  const std::string& said = verified.output;
  EXPECT_NE(verified.exit_code, 0) << said;
  EXPECT_TRUE(said.find("wrong: ") != std::string::npos || said.find("failed: ") != std::string::npos ||
              sanitizer_complains(said))
      << said;
  EXPECT_NE(said.find(marked_line(GetParam().file)), std::string::npos) << said;
  EXPECT_NE(said.find(GetParam().mark("says")), std::string::npos) << said;
}

class BrokenTimed : public Broken {};

TEST_P(BrokenTimed, GetsNoRate) {
  const std::string json = temporary_file(GetParam().backend + "_" + GetParam().name + ".json");
  const bool by_time = GetParam().mark("says").starts_with("implausible:");
  Finished timed = run("--min-time 0.001 --json " + json);
  // A busy machine may make a time plausible, though hardly each time.
  const int runs = by_time ? 6 : std::stoi(GetParam().mark("runs", "1"));
  for (int again = 1; again < runs && timed.exit_code == 0; ++again) timed = run("--min-time 0.001 -f --json " + json);
  EXPECT_EQ(timed.exit_code, 1) << timed.output;
  std::filesystem::remove(json + ".journal");
  std::ifstream file(json);
  const auto results = nlohmann::json::parse(file).at("benchmarks");
  std::filesystem::remove(json);
  ASSERT_EQ(results.size(), 1u);
  const std::string label = results[0].at("label"), says = GetParam().mark("says");
  if (!says.starts_with("implausible:")) {
    EXPECT_TRUE(label.starts_with("wrong: ") || label.starts_with("failed: ")) << label;
    EXPECT_TRUE(results[0].at("real_time").is_null()) << label;
  }
  EXPECT_NE(label.find(says), std::string::npos) << "it says: " << label << "\nand not: " << says;
  EXPECT_TRUE(results[0].at("bytes_per_second").is_null()) << label;
  EXPECT_TRUE(results[0].at("rate").is_null()) << label;
}

const auto test_name = [](const auto& info) {
  return info.param.backend + "_" + info.param.file.parent_path().filename().string() + "_" + info.param.name;
};
INSTANTIATE_TEST_SUITE_P(All, BrokenVerified, testing::ValuesIn(caught(by_verification)), test_name);
INSTANTIATE_TEST_SUITE_P(All, BrokenTimed, testing::ValuesIn(caught(by_timed_run)), test_name);

TEST(BrokenFiles, EachIsCaughtSomehow) {
  std::set<std::filesystem::path> all;
  std::set<std::filesystem::path> held;
  for (const BrokenVariant& v : broken_variants()) {
    all.insert(v.file);
    if (v.is_caught(by_verification) || v.is_caught(by_timed_run)) held.insert(v.file);
    const std::string way = v.mark("caught by", by_verification), needs = v.mark("needs", "GPU");
    EXPECT_TRUE(way == by_verification || way == by_timed_run) << v.file << " is caught by: " << way;
    EXPECT_TRUE(needs == "GPU" || needs == "host" || needs == "two devices" || needs == "two ranks")
        << v.file << " needs: " << needs;
  }
  EXPECT_EQ(held, all);
}

/// The page of what is guaranteed names every variant here, and no other, and says how many there are.
TEST(BrokenFiles, AreThoseOfTheTrustPage) {
  std::ifstream page(source_tree() / "docs/trust.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  ASSERT_FALSE(text.empty());
  std::set<std::string> here, named;
  for (const auto& file : broken_files()) here.insert(std::filesystem::relative(file, root()).string());
  const std::regex path("`((?:host|mpi|cuda|nvidia|kokkos|kokkos_mpi|simt|race)/[a-z0-9_]+/[a-z0-9_]+\\.(?:cu|cpp))`");
  for (std::sregex_iterator found(text.begin(), text.end(), path), end; found != end; ++found)
    named.insert((*found)[1]);
  for (const std::string& file : here) EXPECT_TRUE(named.contains(file)) << "docs/trust.md does not name " << file;
  for (const std::string& file : named) EXPECT_TRUE(here.contains(file)) << "docs/trust.md names " << file;
  EXPECT_NE(text.find(std::to_string(here.size()) + " broken variants"), std::string::npos)
      << "docs/trust.md says another number than " << here.size();
}

}  // namespace
}  // namespace crosswarp
