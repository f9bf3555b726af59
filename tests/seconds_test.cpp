// scripts/seconds, on made-up records of a run.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

/// Of a unit of 20 s, another one, and a program, beside what takes as long as it may, all times as long.
Finished check(double slowness, double unit, double program) {
  const std::string folder = temporary_file("seconds");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/budgets") << "unit 60\nexperiment 10\ncore 100\nmutations 20\nprogram_test 200  # a remark\n";
  const auto line = [&](const char* name, double seconds) {
    return "0\t" + std::to_string(std::lround(1000 * slowness * seconds)) + "\t0\tcore/CMakeFiles/all.dir/" + name +
           ".cpp.o\thash\n";
  };
  std::ofstream(folder + "/.ninja_log") << "# ninja log v5\n" << line("short", 20) << line("other", unit);
  std::ofstream(folder + "/mutations.0.end") << "0 1 " << slowness * program << "\n";
  std::ofstream(folder + "/program_test.0.end") << "0 1 " << slowness * 120 << "\n";
  std::ofstream(folder + "/program_test.1.end") << "0 1 " << slowness * 80 << "\n";
  const std::string seconds = (source_tree() / "scripts/seconds").string() + " ";
  const Finished finished = run_process(seconds + folder + " --check --budgets " + folder + "/budgets");
  std::filesystem::remove_all(folder);
  return finished;
}

TEST(Seconds, FindALongUnitAndALongProgramOnAMachineOfAnySpeed) {
  for (const double slowness : {1, 3}) {
    const Finished usual = check(slowness, 55, 20);
    EXPECT_EQ(usual.exit_code, 0) << usual.output;
    EXPECT_EQ(usual.output.find("over its budget"), std::string::npos) << usual.output;
    const Finished long_unit = check(slowness, 75, 20);
    EXPECT_EQ(long_unit.exit_code, 1) << long_unit.output;
    EXPECT_NE(long_unit.output.find("over its budget: core/CMakeFiles/all.dir/other.cpp.o"), std::string::npos)
        << long_unit.output;
    const Finished long_program = check(slowness, 55, 60);
    EXPECT_EQ(long_program.exit_code, 1) << long_program.output;
    EXPECT_NE(long_program.output.find("over its budget: mutations: "), std::string::npos) << long_program.output;
  }
  EXPECT_EQ(check(0.5, 55, 20).exit_code, 0);
}

TEST(Seconds, SayWhatIsNoBuild) {
  const Finished finished = run_process((source_tree() / "scripts/seconds").string() + " /none");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_NE(finished.output.find("/none is no folder of a build"), std::string::npos) << finished.output;
}

}  // namespace
}  // namespace crosswarp
