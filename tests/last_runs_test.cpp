// Runs without --json keep their results in the user's state folder.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string bench = sibling("bench");
const std::string quick = "--experiment reduce_sum --backend host --hot --placements 2 --min-time 0.001 ";

class LastRuns : public testing::Test {
 protected:
  LastRuns() {
    fs::remove_all(state_);
    setenv("OMP_NUM_THREADS", "1", 1);
  }
  ~LastRuns() override { fs::remove_all(state_); }

  /// Runs bench with a state folder of the test's own.
  Finished run(const std::string& arguments, const std::string& before = "") const {
    return run_process(before + command(arguments));
  }
  std::string command(const std::string& arguments) const {
    return "XDG_STATE_HOME=" + state_ + " " + bench + " " + arguments;
  }
  /// Results files, journals and others with that ending; the oldest first.
  std::vector<std::string> files(const std::string& ending = ".json") const {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none))
      if (entry.path().string().ends_with(ending)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }
  static std::size_t cells_in(const std::string& file) {
    return json::parse(std::ifstream(file)).at("benchmarks").size();
  }
  static bool says(const Finished& finished, const std::string& text) {
    return finished.output.find(text) != std::string::npos;
  }

  const std::string state_ = temporary_file("last_runs"), folder_ = state_ + "/crosswarp/runs";
};

TEST_F(LastRuns, KeepsARunAndSaysWhere) {
  const Finished finished = run(quick + "--n 1000,2000");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  ASSERT_EQ(files().size(), 1u);
  EXPECT_TRUE(finished.output.ends_with("bench: results are in " + files()[0] + "\n")) << finished.output;
  EXPECT_EQ(cells_in(files()[0]), 2u);
  const Finished quiet = run("-q " + quick + "--n 1000");
  EXPECT_FALSE(says(quiet, "results are in")) << quiet.output;
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(LastRuns, NotesARunWithAFileOfItsOwn) {
  const std::string json_file = state_ + ".json";
  const Finished own = run(quick + "--n 1000 --json " + json_file);
  EXPECT_TRUE(own.output.ends_with("bench: results are in " + json_file + "\n")) << own.output;
  ASSERT_EQ(files().size(), 1u);
  EXPECT_TRUE(fs::is_symlink(files()[0]));
  const Finished report = run("report");
  EXPECT_TRUE(report.output.starts_with("bench: takes " + json_file + "\n")) << report.output;
  EXPECT_TRUE(says(run("--resume"), "1 results are in " + json_file + " already"));
  EXPECT_EQ(files().size(), 1u);
  for (const char* part : {"", ".journal"}) fs::remove(json_file + part);
  EXPECT_TRUE(says(run("report"), "there are no results yet"));
}

TEST_F(LastRuns, KeepsNothingOfARunWithoutTimes) {
  for (const char* action : {"--verify", "--dry-run", "--list", "--benchmark_list_tests"})
    EXPECT_EQ(run(quick + "--n 1000 " + action).exit_code, 0) << action;
  EXPECT_EQ(run("--profile host/reduce_sum/reference --n 1000").exit_code, 0);
  EXPECT_EQ(run(quick + "--n lots").exit_code, 2);
  EXPECT_EQ(run(quick + "--n 1000", "NSYS_PROFILING_SESSION_ID=1 ").exit_code, 0);
  EXPECT_FALSE(fs::exists(state_));
}

TEST_F(LastRuns, KeepsTheLastTwenty) {
  fs::create_directories(folder_);
  for (int day = 1; day <= 22; ++day)
    for (const char* ending : {"", ".journal"})
      std::ofstream(folder_ + "/2025-01-" + std::to_string(10 + day) + "_120000.000_1.json" + ending) << "{}";
  EXPECT_EQ(run("-q " + quick + "--n 1000").exit_code, 0);
  EXPECT_EQ(files().size(), 20u);
  EXPECT_EQ(files(".journal").size(), 20u);
  EXPECT_NE(files().front().find("2025-01-14"), std::string::npos) << files().front();
  EXPECT_EQ(cells_in(files().back()), 1u);
}

TEST_F(LastRuns, GoesOnWithoutAFolder) {
  std::ofstream{state_};  // a file where the folder would be
  const Finished no_folder = run(quick + "--n 1000");
  EXPECT_EQ(no_folder.exit_code, 0) << no_folder.output;
  EXPECT_TRUE(says(no_folder, "bench: results are not kept: " + folder_ + ": cannot be created (")) << no_folder.output;
  EXPECT_TRUE(says(no_folder, "host/reduce_sum/reference")) << no_folder.output;
  const Finished no_home = run_process("env -u HOME -u XDG_STATE_HOME " + bench + " " + quick + "--n 1000");
  EXPECT_EQ(no_home.exit_code, 0) << no_home.output;
  EXPECT_TRUE(says(no_home, "neither XDG_STATE_HOME nor HOME is set")) << no_home.output;
}

TEST_F(LastRuns, GoesOnWithoutAFileThatMayGrowNoMore) {  // as with a full disk
  const Finished finished = run(quick + "--n 1000:8000:+1000", "ulimit -f 8; ");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_TRUE(says(finished, "bench: results are kept only in part: " + folder_)) << finished.output;
  EXPECT_TRUE(says(finished, "File too large")) << finished.output;
  EXPECT_EQ(finished.output.find("in part"), finished.output.rfind("in part")) << finished.output;
  EXPECT_TRUE(says(finished, "n:8000")) << finished.output;
}

TEST_F(LastRuns, SaysHowToGoOnAfterCtrlC) {
  const std::string said = state_ + ".said";
  {
    Running program("env " + command("-q " + quick + "--n 1000:40000:+1000 2>" + said));
    ASSERT_TRUE(soon([&] { return !files(".journal").empty() && fs::file_size(files(".journal")[0]) > 20000; }));
    program.send(SIGINT);
    EXPECT_EQ(program.wait(), 128 + SIGINT);
  }
  std::string line;
  std::getline(std::ifstream(said), line);
  fs::remove(said);
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(line, "bench: interrupted; finished cells are in " + files()[0] + ": bench --resume continues");
  EXPECT_LT(cells_in(files()[0]), 40u);
}

TEST_F(LastRuns, ResumesTheLastRun) {
  ASSERT_EQ(run("-q " + quick + "--n 1000").exit_code, 0);
  ASSERT_EQ(run("-q " + quick + "--n 2000,3000 --seed 7").exit_code, 0);
  ASSERT_EQ(files().size(), 2u);
  const std::string last = files()[1];
  json half = json::parse(std::ifstream(last));
  half["benchmarks"].erase(1);
  std::ofstream(last) << half;
  const Finished resumed = run("--resume");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  EXPECT_TRUE(says(resumed, "1 results are in " + last + " already")) << resumed.output;
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(cells_in(last), 2u);
  // Options behind it are its own.
  EXPECT_EQ(run("--resume -q --n 4000").exit_code, 0);
  EXPECT_EQ(cells_in(last), 3u);
}

TEST_F(LastRuns, ResumesARunThatWasKilled) {
  {
    Running program("env " + command("-q " + quick + "--n 1000:12000:+1000"));
    ASSERT_TRUE(soon([&] { return !files(".journal").empty() && fs::file_size(files(".journal")[0]) > 20000; }));
    program.send(SIGKILL);
    program.wait();
  }
  ASSERT_TRUE(files().empty());
  const Finished report = run("report");
  EXPECT_TRUE(report.output.starts_with("bench: takes " + files(".journal")[0] + "\n")) << report.output;
  EXPECT_TRUE(says(report, "| `host/reduce_sum/reference` |")) << report.output;
  EXPECT_EQ(run("-q --resume").exit_code, 0);
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(cells_in(files()[0]), 12u);
}

TEST_F(LastRuns, LeavesARunToItsProcess) {
  ASSERT_EQ(run("-q " + quick + "--n 1000").exit_code, 0);
  Running program("env " + command("-q --experiment reduce_sum --backend host --hot --n 1000:100000:+1000"));
  ASSERT_TRUE(soon([&] { return files(".journal").size() == 2; }));
  const Finished report = run("report");
  EXPECT_TRUE(report.output.starts_with("bench: takes " + files()[0] + "\n")) << report.output;
  EXPECT_TRUE(says(run("--resume"), "1 results are in " + files()[0] + " already"));
}

TEST_F(LastRuns, ReportsAndComparesTheLastRuns) {
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 2) << finished.output;
    EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
    EXPECT_TRUE(says(finished, text)) << finished.output;
  };
  refused("report", "report: there are no results yet; run bench, or name a results file of --json");
  refused("compare --backends host,kokkos", "compare: there are no results yet; run bench, or name");
  refused("compare", "compare: there are no results yet; run bench twice, or name two results files");
  refused("--resume", "--resume: there is no earlier run; name a results file of --json");
  ASSERT_EQ(run("-q " + quick + "--n 1000").exit_code, 0);
  refused("compare", "compare: no earlier run has cells of " + files()[0]);
  ASSERT_EQ(run("-q " + quick + "--n 2000").exit_code, 0);  // comparable with none
  refused("compare", "compare: no earlier run has cells of " + files()[1]);
  ASSERT_EQ(run("-q " + quick + "--n 1000,3000").exit_code, 0);
  const std::string both = "bench: takes " + files()[0] + " and " + files()[2] + "\n";
  const Finished compared = run("compare --all");
  EXPECT_TRUE(compared.output.starts_with(both)) << compared.output;
  EXPECT_TRUE(says(compared, "1 cells with times in both")) << compared.output;
  std::ofstream(folder_ + "/2999-01-01_000000.000_1.json") << "damaged";
  EXPECT_TRUE(run("compare").output.starts_with(both));
  const Finished report = run("report");
  EXPECT_TRUE(report.output.starts_with("bench: takes " + files()[2] + "\n")) << report.output;
  EXPECT_TRUE(says(run("compare -o " + files()[2]), "is an input of this command"));
}

TEST_F(LastRuns, ComparesRunsOnOneDeviceOnly) {
  for (int i = 0; i < 2; ++i) ASSERT_EQ(run("-q " + quick + "--n 1000").exit_code, 0);
  json other = json::parse(std::ifstream(files()[0]));
  for (json& row : other["benchmarks"]) row["device"] = "Abacus 1";
  std::ofstream(files()[0]) << other;
  EXPECT_TRUE(says(run("compare"), "no earlier run has cells of " + files()[1]));
}

}  // namespace
}  // namespace crosswarp
