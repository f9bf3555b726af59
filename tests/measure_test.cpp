// scripts/measure: what its steps ask for is there, which on a GPU would show only when minutes are lost.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

/// Options of runs that time, which a listing refuses.
const std::regex of_runs(" --(counters(=\\S*)?|energy|graph|stream|hot|random \\S+|seed \\S+)(?= |$)");

class Measure : public testing::TestWithParam<const char*> {};

TEST_P(Measure, NamesBackendsVariantsAndAxesThatExist) {
  const std::string list = sibling("bench") + " --list ";
  for (const std::string backend : {"cuda", "kokkos"})
    if (run_process(list + "--backend " + backend).exit_code != 0) GTEST_SKIP() << "no backend " << backend << " here";
  const Finished files = run_process((source_tree() / "scripts/measure").string() + " --files " + GetParam());
  ASSERT_EQ(files.exit_code, 0) << files.output;
  std::istringstream lines(files.output);
  std::size_t count = 0;
  for (std::string name, options; lines >> name && std::getline(lines, options); ++count) {
    const Finished listed = run_process(list + std::regex_replace(options, of_runs, ""));
    EXPECT_EQ(listed.exit_code, 0) << name << options << "\n" << listed.output;
  }
  EXPECT_GE(count, 3u) << files.output;
}

INSTANTIATE_TEST_SUITE_P(Steps, Measure, testing::Values("", "shapes", "ranks", "notes", "energy", "compared"),
                         [](const auto& info) { return *info.param ? info.param : "folder"; });

TEST(MeasureScript, RefusesAStepThatIsNotThere) {
  const std::string out = temporary_file("measured");
  for (const std::string& arguments :
       std::vector<std::string>{"--files nowhere", "--files conformance", "/tmp " + out + " devices nowhere"}) {
    const Finished refused = run_process((source_tree() / "scripts/measure").string() + " " + arguments);
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_NE(refused.output.find("unknown step "), std::string::npos) << refused.output;
    EXPECT_EQ(lines_in(refused.output), 1u) << refused.output;
  }
  EXPECT_FALSE(std::filesystem::exists(out)) << "before it has begun";
}

TEST(MeasureScript, MeasuresTheExperimentsThatAreNamed) {
  const auto files = [](const std::string& named) {
    return run_process("EXPERIMENTS='" + named + "' " + (source_tree() / "scripts/measure").string() +
                       " --files everything");
  };
  EXPECT_GT(lines_in(files("").output), 10u) << files("").output;
  const Finished two = files("op_latency row_sum");
  EXPECT_EQ(two.exit_code, 0);
  EXPECT_EQ(two.output, "op_latency --all --backend cuda,kokkos\nrow_sum --all --backend cuda,kokkos\n");
  const Finished refused = files("op_latency nowhere");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.output.find("EXPERIMENTS: nowhere "), std::string::npos) << refused.output;
  EXPECT_EQ(lines_in(refused.output), 1u) << refused.output;
}

}  // namespace
}  // namespace crosswarp
