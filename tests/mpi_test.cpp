// Ranks as processes, as mpirun starts them: one table, one file, every element checked on every rank. What fails ends
// its cell and names the rank; finished cells stay, and no process does. CROSSWARP_RANK_KILLS: kills at random moments
// (4).
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/launcher.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string cells = "--backend host --experiment all_reduce ", quick = cells + "--min-time 0.001 --placements 2 ";

class Processes : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_mpi(); !why.empty()) GTEST_SKIP() << why;
    fs::create_directories(folder_);
    setenv("OMP_NUM_THREADS", "1", 1);
  }
  ~Processes() override { fs::remove_all(folder_); }

  Finished run(int processes, const std::string& arguments, const std::string& program = "bench") const {
    return run_process(mpirun(processes) + sibling(program) + " " + arguments);
  }
  json results() const { return json::parse(std::ifstream(file)); }

  /// Processes whose command line names this test's file.
  std::vector<pid_t> alive() const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      std::ifstream command_line(entry.path() / "cmdline");
      std::string text;  // reading fails where the process is gone by now
      for (std::string word; std::getline(command_line, word, '\0');) text += word + ' ';
      const pid_t process = std::stoi(name);
      if (text.find(file) != text.npos && process != getpid() && is_running(process)) found.push_back(process);
    }
    return found;
  }

  /// Sample times of finished cells, of the file or its journal.
  std::map<std::string, json> finished() const {
    std::map<std::string, json> all;
    const auto add = [&](const json& row) {
      if (row.at("status") != "failed") all[row.at("name")] = row.at("sample_times");
    };
    if (fs::exists(file) && fs::file_size(file) > 0) {
      const json whole = results();  // the loop's range must outlive it
      for (const json& row : whole.at("benchmarks")) add(row);
    }
    std::ifstream lines(file + ".journal");
    for (std::string line; std::getline(lines, line);) {
      const json row = json::parse(line, nullptr, false);
      if (row.is_object() && row.contains("name")) add(row);
    }
    return all;
  }

  const std::string folder_ = temporary_file("processes");
  const std::string file = folder_ + "/out.json";
};

TEST_F(Processes, VerifyEveryElementOnEveryRank) {
  for (const char* place : {"in", "out"}) {
    const Finished verified =
        run(4, cells + "--variant mpi --verify --n 0,1,7,1003,100003 --ranks 2,3,4 --place " + place);
    EXPECT_EQ(verified.exit_code, 0) << verified.output;
    EXPECT_NE(verified.output.find("15 ok, 0 wrong, 0 failed, 0 skipped"), std::string::npos) << verified.output;
  }
}

/// Kernels of ranks that use each other's memory, which their processes map.
TEST_F(Processes, UseEachOthersMemory) {
  for (const auto& [experiment, points, ok] :
       {std::tuple("all_reduce", "--variant threads --n 0,1,1003 --type f32,bf16 --place in,out", 36),
        std::tuple("all_gather", "--n 1,1003 --place in,out", 12), std::tuple("reduce_scatter", "--n 1,1003", 6),
        std::tuple("peer_copy", "--bytes 4,4100 --ways one,both", 12),
        std::tuple("peer_latency", "--op load,store,atomic,flag", 12),
        std::tuple("halo_exchange", "--n 5,16 --dims 2,3 --width 1,2", 24),
        std::tuple("all_gather_matmul", "--m 24 --n 12 --k 7,64", 6)}) {
    const Finished verified =
        run(4, std::string("--backend host --verify --ranks 2,3,4 --experiment ") + experiment + " " + points);
    EXPECT_EQ(verified.exit_code, 0) << verified.output;
    EXPECT_NE(verified.output.find(std::to_string(ok) + " ok, 0 wrong, 0 failed, 0 skipped"), std::string::npos)
        << verified.output;
  }
}

TEST_F(Processes, MakeOneTableAndOneFile) {
  const Finished timed = run(4, quick + "--n 64,1000 --json " + file);
  ASSERT_EQ(timed.exit_code, 0) << timed.output;
  std::size_t tables = 0;
  for (auto at = timed.output.find("\nall_reduce "); at != std::string::npos;
       at = timed.output.find("\nall_reduce ", at + 1))
    ++tables;
  EXPECT_LE(tables, 2u) << timed.output;
  const json all = results();
  std::set<std::string> ok;
  for (const json& row : all.at("benchmarks"))
    if (row.at("status") == "ok") {
      ok.insert(row.at("variant"));
      EXPECT_EQ(row.at("ranks"), 4);
      EXPECT_EQ(row.at("time_by_rank").size(), 4u);
      for (const json& own : row.at("time_by_rank")) EXPECT_GT(own.get<double>(), 0);
      const double bytes = row.at("message_bytes"), seconds = row.at("real_time").get<double>() * 1e-9;
      EXPECT_NEAR(row.at("algbw").get<double>() * seconds / bytes, 1, 1e-3);
      EXPECT_NEAR(row.at("busbw").get<double>() / row.at("algbw").get<double>(), 1.5, 1e-3);
    }
  EXPECT_TRUE(ok.contains("mpi")) << timed.output;
  const json& context = all.at("context");
  EXPECT_EQ(context.at("device.host+host+host+host.ranks"), "4");
  EXPECT_EQ(context.at("device.host+host+host+host.transport"), "processes by MPI");
  EXPECT_TRUE(context.contains("device.host+host+host+host.mpi"));
}

/// Kokkos has one device per process. Its launches wait on the host, so their gates open before them.
TEST_F(Processes, RunKokkos) {
  const std::string backend = "--backend kokkos ";
  if (const Finished list = run_process(sibling("bench") + " --list " + backend + "--experiment peer_copy");
      list.output.find("kokkos/peer_copy/deep_copy") == std::string::npos)
    GTEST_SKIP() << "this build has no Kokkos";
  for (const auto& [points, ok] : {std::tuple("--experiment all_reduce --n 0,1,1003,100003 --place in,out", 24),
                                   std::tuple("--experiment peer_copy --bytes 4,4100 --ways one,both", 12)}) {
    const Finished verified = run(4, backend + "--verify --ranks 2,3,4 " + points);
    EXPECT_EQ(verified.exit_code, 0) << verified.output;
    EXPECT_NE(verified.output.find(std::to_string(ok) + " ok, 0 wrong, 0 failed, 0 skipped"), std::string::npos)
        << verified.output;
  }
  const Finished timed = run(2, backend + "--experiment all_reduce,peer_copy --n 1000 --bytes 4000 --ways both " +
                                    "--min-time 0.001 --placements 2 --json " + file);
  ASSERT_EQ(timed.exit_code, 0) << timed.output;
  const json all = results();
  EXPECT_EQ(all.at("benchmarks").size(), 2u);
  for (const json& row : all.at("benchmarks")) {
    EXPECT_EQ(row.at("status"), "ok") << row;
    EXPECT_EQ(row.at("time_by_rank").size(), 2u);
    EXPECT_GT(row.at("real_time").get<double>(), 0);
  }
}

/// Processes that a launcher binds to a core each share none, though each sees one alone.
TEST_F(Processes, SayWhereTheyShareCores) {
  cpu_set_t usable;
  ASSERT_EQ(sched_getaffinity(0, sizeof usable, &usable), 0);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &usable)) cores.push_back(core);
  if (cores.size() < 2) GTEST_SKIP() << "one core";
  if (run_process("command -v taskset").exit_code != 0) GTEST_SKIP() << "no taskset here (util-linux)";
  const auto note_on = [&](int one, int other) {
    const auto bound = [&](int core) {
      return "taskset -c " + std::to_string(core) + " " + sibling("bench") + " " + quick +
             "--variant mpi --n 64 -f --json " + file;
    };
    const Finished timed = run_process(mpirun(1) + "--bind-to none " + bound(one) + " : -n 1 " + bound(other));
    EXPECT_EQ(timed.exit_code, 0) << timed.output;
    return results().at("benchmarks").at(0).at("note");
  };
  EXPECT_TRUE(note_on(cores[0], cores[1]).is_null());
  EXPECT_EQ(note_on(cores[0], cores[0]), "2 ranks share 1 core");
}

TEST_F(Processes, OnlyTheFirstPrints) {
  const Finished help = run(3, "--help");
  EXPECT_EQ(help.exit_code, 0);
  const auto end = help.output.find("Exit codes: ");
  ASSERT_NE(end, std::string::npos) << help.output;
  EXPECT_EQ(help.output.find("Exit codes: ", end + 1), std::string::npos) << help.output;
  const Finished wrong = run(3, "--no-such-flag");
  EXPECT_NE(wrong.exit_code, 0);
  const auto first = wrong.output.find("--no-such-flag: ");
  ASSERT_NE(first, std::string::npos) << wrong.output;
  EXPECT_EQ(wrong.output.find("--no-such-flag: ", first + 1), std::string::npos) << wrong.output;
}

TEST_F(Processes, MoreRanksThanProcessesAreSkipped) {
  const Finished verified = run(2, cells + "--variant mpi --verify --n 64 --ranks 4");
  EXPECT_NE(verified.output.find("4 ranks need as many processes; the launcher started 2"), std::string::npos)
      << verified.output;
}

TEST_F(Processes, OneProcessHasNoMpi) {
  for (const std::string backend : {"host", "kokkos"}) {
    if (run_process(sibling("bench") + " --list").output.find(backend + "/all_reduce/mpi") == std::string::npos)
      continue;
    const Finished verified = run_process(sibling("bench") + " --verify --experiment all_reduce --variant mpi --n 64 " +
                                          "--ranks 4 --backend " + backend);
    EXPECT_NE(verified.output.find("its ranks are processes: mpirun -n 4 bench"), std::string::npos) << verified.output;
  }
}

TEST_F(Processes, AreOfOneBuild) {
  const std::string other = folder_ + "/bench";
  fs::copy_file(sibling("bench"), other);
  std::ofstream(other, std::ios::app) << "another build";
  const Finished mixed =
      run_process(mpirun(1) + sibling("bench") + " " + cells + "--verify --n 64 : -n 1 " + other + " " + cells);
  EXPECT_NE(mixed.exit_code, 0);
  EXPECT_NE(mixed.output.find("ranks of several builds: rank 1 ("), std::string::npos) << mixed.output;
}

/// A faulting and a hanging rank: tests/broken/mpi. Here, that the run's other cells stay.
TEST_F(Processes, KeepWhatIsFinishedWhenARankFaults) {
  const Finished faulted = run(3, quick + "--n 64,1003 --variant mpi --json " + file, "broken_bench");
  ASSERT_EQ(faulted.exit_code, 0) << faulted.output;
  const auto before = finished();
  ASSERT_EQ(before.size(), 2u);
  const Finished more = run(3, quick + "--n 64,2000 --variant mpi,faults_on_a_rank --resume " + file, "broken_bench");
  EXPECT_NE(more.exit_code, 0);
  EXPECT_NE(more.output.find("rank 2 ("), std::string::npos) << more.output;
  const auto after = finished();
  for (const auto& [name, samples] : before) EXPECT_EQ(after.at(name), samples) << name;
  EXPECT_TRUE(soon([&] { return alive().empty(); }));
}

TEST_F(Processes, AStoppedRankIsNamed) {
  // On a busy machine the second rank starts seconds after the first: before the limit of a hang, which is longer.
  Running running(mpirun(2) + sibling("bench") + " -q " + cells +
                  "--variant mpi --placements 2 --n 2^16 --min-time 60 --time-limit 60 --hang-limit 8 --json " + file +
                  " >" + folder_ + "/said 2>&1");
  const auto said = [&] {
    std::ifstream output(folder_ + "/said");
    return std::string{std::istreambuf_iterator<char>(output), {}};
  };
  // The launcher, and the ranks in their order.
  const auto is_timing = [&] { return alive().size() == 3 && fs::exists(file + ".journal"); };
  ASSERT_TRUE(soon([&] { return is_timing() || running.is_over(); }) && is_timing()) << said();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  kill(std::ranges::max(alive()), SIGSTOP);
  EXPECT_TRUE(soon([&] { return running.is_over(); }));
  const std::string text = said();
  EXPECT_NE(text.find(" is stopped"), std::string::npos) << text;
  EXPECT_TRUE(soon([&] { return alive().empty(); }));
}

/// Any process may be killed at any moment, the launcher, too. What is finished stays, nobody is left, and --resume
/// ends with all cells.
TEST_F(Processes, SurviveKillsAtRandomMoments) {
  const char* const wanted = std::getenv("CROSSWARP_RANK_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 4;
  std::mt19937 random(testing::UnitTest::GetInstance()->random_seed());
  const std::string asked = "-q " + quick + "--variant mpi --n 64,128,256,512,1024,2048,4096,8192 ";
  std::map<std::string, json> before;
  for (int i = 0; i < kills; ++i) {
    const bool resumes = fs::exists(file) || fs::exists(file + ".journal");
    Running running(mpirun(3) + sibling("bench") + " " + asked + (resumes ? "--resume " : "--json ") + file);
    std::this_thread::sleep_for(std::chrono::milliseconds(200 + random() % 2000));
    if (const std::vector<pid_t> processes = alive(); !processes.empty())
      kill(processes[random() % processes.size()], SIGKILL);
    ASSERT_TRUE(soon([&] { return alive().empty(); })) << "kill " << i << " left a process";
    running.wait();
    const auto after = finished();
    for (const auto& [name, samples] : before) {
      ASSERT_TRUE(after.contains(name)) << "kill " << i << " lost " << name;
      EXPECT_EQ(after.at(name), samples) << name;
    }
    before = after;
  }
  const bool resumes = fs::exists(file) || fs::exists(file + ".journal");
  const Finished whole = run(3, asked + (resumes ? "--resume " : "--json ") + file);
  EXPECT_EQ(whole.exit_code, 0) << whole.output;
  const auto all = finished();
  EXPECT_EQ(all.size(), 8u) << whole.output;
  for (const auto& [name, samples] : before) EXPECT_EQ(all.at(name), samples) << name;
}

}  // namespace
}  // namespace crosswarp
