// Every variant under tests/broken must be reported as wrong or failed, each in a process of its own.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

const std::string broken_bench = sibling("broken_bench");

/// `host/does_nothing`, for every file under tests/broken.
std::vector<std::string> broken_variants() {
  std::vector<std::string> all;
  const std::filesystem::path root = source_tree() / "tests/broken";
  for (const auto& file : std::filesystem::recursive_directory_iterator(root))
    if (file.path().extension() == ".cpp" || file.path().extension() == ".cu")
      all.push_back(std::filesystem::relative(file.path(), root).begin()->string() + "/" + file.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

class Broken : public testing::TestWithParam<std::string> {
 protected:
  std::string backend() const { return GetParam().substr(0, GetParam().find('/')); }
  std::string variant() const { return GetParam().substr(GetParam().find('/') + 1); }
  std::string arguments() const { return " -q --backend " + backend() + " --variant " + variant() + " --n 1003 "; }

  void SetUp() override {
    const Finished run = run_process(broken_bench + " devices");
    ASSERT_EQ(run.exit_code, 0) << run.output;
    if (run.output.find("\n" + backend()) == std::string::npos) GTEST_SKIP() << "no backend " << backend() << " here";
    const auto line = run.output.substr(run.output.find("\n" + backend()) + 1);
    if (line.substr(0, line.find('\n')).find("none: ") != std::string::npos)
      GTEST_SKIP() << "no device for " << backend();
  }
};

TEST_P(Broken, IsCaughtByVerification) {
  if (variant() == "wrong_from_the_second_launch_on")
    GTEST_SKIP() << "right the first time: for the timed run to catch";
  if (variant() == "waits_for_the_device") GTEST_SKIP() << "its result is right: for the timed run to catch";
  const Finished run = run_process(broken_bench + arguments() + "--verify");
  EXPECT_EQ(run.exit_code, 1) << run.output;
  EXPECT_TRUE(run.output.find("wrong: ") != std::string::npos || run.output.find("fail") != std::string::npos ||
              run.output.find("faulted") != std::string::npos)
      << run.output;
}

TEST_P(Broken, GetsNoRateFromATimedRun) {
  const std::string json = temporary_file(backend() + "_" + variant() + ".json");
  const Finished run = run_process(broken_bench + arguments() + "--min-time 0.001 --json " + json);
  EXPECT_EQ(run.exit_code, 1) << run.output;
  std::filesystem::remove(json + ".journal");
  if (run.output.find("faulted") != std::string::npos) return;  // the process ended, and said so
  std::ifstream file(json);
  const auto results = nlohmann::json::parse(file).at("benchmarks");
  std::filesystem::remove(json);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].at("status") == "wrong" || results[0].at("status") == "failed") << results[0];
  EXPECT_TRUE(results[0].at("real_time").is_null());
  EXPECT_TRUE(results[0].at("bytes_per_second").is_null());
}

INSTANTIATE_TEST_SUITE_P(All, Broken, testing::ValuesIn(broken_variants()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

}  // namespace
}  // namespace crosswarp
