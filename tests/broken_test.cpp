// Every variant under tests/broken must be reported as wrong or failed, each in a process of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

/// A file under tests/broken, on one of the backends that it is compiled for.
struct BrokenVariant {
  std::string program, backend, name;
  std::filesystem::path file;
};

/// Every one, whether or not this build has its program and backend.
std::vector<BrokenVariant> broken_variants() {
  using Where = std::pair<std::string, std::string>;  // program, backend
  const std::map<std::string, std::vector<Where>> places{
      {"host", {{"broken_bench", "host"}}},
      {"cuda", {{"broken_bench", "cuda"}, {"broken_bench", "hip"}, {"broken_asan", "simt"}}},
      {"simt", {{"broken_asan", "simt"}}},
      {"race", {{"broken_tsan", "simt"}}}};
  std::vector<BrokenVariant> all;
  const std::filesystem::path root = source_tree() / "tests/broken";
  for (const auto& file : std::filesystem::recursive_directory_iterator(root))
    if (file.path().extension() == ".cpp" || file.path().extension() == ".cu")
      for (const auto& [program, backend] : places.at(std::filesystem::relative(file.path(), root).begin()->string()))
        all.push_back({program, backend, file.path().stem().string(), file.path()});
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return std::tie(a.backend, a.file) < std::tie(b.backend, b.file); });
  return all;
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

/// How a broken variant runs, and at which point: as its file says behind `// at:`, else that of a sum.
std::string point_of(const std::filesystem::path& file) {
  const std::string mark = "// at: ";
  std::ifstream text(file);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(mark)) return line.substr(mark.size());
  return "--n 1003";
}

/// Words by which a sanitizer that ends a program says why.
bool sanitizer_complains(const std::string& output) {
  for (const char* words : {"ERROR: AddressSanitizer", "runtime error: ", "WARNING: ThreadSanitizer"})
    if (output.find(words) != std::string::npos) return true;
  return false;
}

class Broken : public testing::TestWithParam<BrokenVariant> {
 protected:
  std::string backend() const { return GetParam().backend; }
  std::string variant() const { return GetParam().name; }
  bool is_emulated() const { return backend().starts_with("simt"); }
  /// Runs the program that holds this variant, on it alone.
  Finished run(const std::string& arguments) const {
    return run_process(sibling(GetParam().program) + " -q --backend " + backend() + " --variant " + variant() +
                       " --experiment " + GetParam().file.parent_path().filename().string() + " " +
                       point_of(GetParam().file) + " " + arguments);
  }

  void SetUp() override {
    if (!std::filesystem::exists(sibling(GetParam().program))) GTEST_SKIP() << "no " << GetParam().program << " here";
    const Finished devices = run_process(sibling(GetParam().program) + " devices");
    ASSERT_EQ(devices.exit_code, 0) << devices.output;
    const auto line = devices.output.find("\n" + backend() + " ");
    if (line == std::string::npos) GTEST_SKIP() << "no backend " << backend() << " here";
    if (devices.output.substr(line + 1, devices.output.find('\n', line + 1) - line).find("none: ") != std::string::npos)
      GTEST_SKIP() << "no device for " << backend();
    if (is_emulated() && variant() == "waits_for_the_device") GTEST_SKIP() << "for a timed run to catch";
  }
};

TEST_P(Broken, IsCaughtByVerification) {
  if (variant() == "wrong_from_the_second_launch_on")
    GTEST_SKIP() << "right the first time: for the timed run to catch";
  if (variant() == "waits_for_the_device") GTEST_SKIP() << "its result is right: for the timed run to catch";
  const Finished verified = run("--verify");
  const std::string& said = verified.output;
  EXPECT_NE(verified.exit_code, 0) << said;
  EXPECT_TRUE(said.find("wrong: ") != std::string::npos || said.find("failed: ") != std::string::npos ||
              sanitizer_complains(said))
      << said;
  EXPECT_NE(said.find(marked_line(GetParam().file)), std::string::npos) << said;
}

TEST_P(Broken, GetsNoRateFromATimedRun) {
  if (is_emulated()) GTEST_SKIP() << "an emulation is never timed";
  const std::string json = temporary_file(backend() + "_" + variant() + ".json");
  const Finished timed = run("--min-time 0.001 --json " + json);
  EXPECT_EQ(timed.exit_code, 1) << timed.output;
  std::filesystem::remove(json + ".journal");
  std::ifstream file(json);
  const auto results = nlohmann::json::parse(file).at("benchmarks");
  std::filesystem::remove(json);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].at("status") == "wrong" || results[0].at("status") == "failed") << results[0];
  EXPECT_TRUE(results[0].at("real_time").is_null());
  EXPECT_TRUE(results[0].at("bytes_per_second").is_null());
}

INSTANTIATE_TEST_SUITE_P(All, Broken, testing::ValuesIn(broken_variants()), [](const auto& info) {
  return info.param.backend + "_" + info.param.file.parent_path().filename().string() + "_" + info.param.name;
});

}  // namespace
}  // namespace crosswarp
