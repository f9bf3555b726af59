// What is finished stays: whatever faults, hangs or is killed, a cell that had a result keeps it, and --resume ends
// with the cells of a run that nobody disturbed. CROSSWARP_KILLS: how many kills at random moments (20).
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Seconds = std::chrono::duration<double>;

const std::string bench = sibling("bench");
const std::string host = "--experiment reduce_sum --backend host --hot --placements 2 ",
                  quick = host + "--min-time 0.001 ";

class Resume : public testing::Test {
 protected:
  Resume() {
    fs::create_directories(folder_);
    setenv("OMP_NUM_THREADS", "1", 1);  // threads that wait for each other take long where others need the cores
  }
  ~Resume() override { fs::remove_all(folder_); }

  Finished run(const std::string& arguments, const std::string& program = bench) const {
    return run_process(program + " " + arguments);
  }

  json whole() const { return json::parse(std::ifstream(file)); }
  std::set<std::string> names() const {
    std::set<std::string> all;
    const json results = whole();
    for (const json& row : results.at("benchmarks")) EXPECT_TRUE(all.insert(row.at("name")).second) << row.at("name");
    return all;
  }
  std::map<std::string, std::string> labels() const {
    std::map<std::string, std::string> all;
    const json results = whole();
    for (const json& row : results.at("benchmarks")) all[row.at("variant")] = row.at("label");
    return all;
  }
  std::size_t journal_lines() const {
    std::stringstream text;
    text << std::ifstream(file + ".journal").rdbuf();
    return lines_in(text.str());
  }

  /// Samples by cell, for all that did not fail: of the file, or of its journal if that is newer. Only the journal's
  /// last line may be cut off.
  std::map<std::string, json> finished() const {
    std::map<std::string, json> cells;
    const auto add = [&](const json& row) {
      if (row.at("status") != "failed") cells[row.at("name")] = row.at("sample_times");
    };
    const std::string journal = file + ".journal";
    const bool has_file = fs::exists(file), has_journal = fs::exists(journal);
    if (has_file) {
      const json results = whole();
      if (!has_journal || fs::last_write_time(file) >= fs::last_write_time(journal)) {
        for (const json& row : results.at("benchmarks")) add(row);
        return cells;
      }
    }
    std::ifstream lines(journal);
    for (std::string line; std::getline(lines, line);) {
      const json row = json::parse(line, nullptr, false);
      EXPECT_TRUE(!row.is_discarded() || lines.peek() == EOF) << line;
      if (row.is_object() && row.contains("name")) add(row);
    }
    return cells;
  }

  const std::string folder_ = temporary_file("resume");
  const std::string file = folder_ + "/out.json";
};

TEST_F(Resume, GoesOnWithoutTheCellThatFaults) {
  const std::string cells = "-q " + quick + "--n 1003 --variant faults,off_by_one,reference";
  ASSERT_EQ(run(cells + " --json " + file, sibling("broken_bench")).exit_code, 1);
  const auto told = labels();
  const auto before = finished();
  EXPECT_EQ(told.at("faults"), "failed: ended its process: Segmentation fault");
  EXPECT_TRUE(told.at("off_by_one").starts_with("wrong: ")) << told.at("off_by_one");
  EXPECT_EQ(told.at("reference"), "ok");
  // What failed runs again, the others stay.
  const Finished again = run("-q --resume " + file, sibling("broken_bench"));
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(labels(), told);
  EXPECT_EQ(finished(), before);
  EXPECT_NE(again.output.find("host/reduce_sum/faults"), std::string::npos) << again.output;
}

/// The limit is far above what the other cell takes on a busy machine.
TEST_F(Resume, GoesOnWithoutTheCellThatHangs) {
  const Finished finished =
      run("-q " + quick + "--n 1003 --variant never_ends,reference --hang-limit 6 --json " + file,
          sibling("broken_bench"));
  EXPECT_EQ(finished.exit_code, 1) << finished.output;
  EXPECT_EQ(labels().at("never_ends"), "failed: hung: no sign of life for 6 s (--hang-limit)");
  EXPECT_EQ(labels().at("reference"), "ok");
}

TEST_F(Resume, VerifiesOnAfterAFault) {
  const Finished finished = run("--verify " + quick + "--n 1003 --variant faults,reference", sibling("broken_bench"));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.output.find("1 ok, 0 wrong, 1 failed, 0 skipped"), std::string::npos) << finished.output;
}

TEST_F(Resume, RunsInOneProcessWhereThatIsWanted) {
  const Finished finished = run("--in-process --verify " + quick + "--n 1000");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  // Then nobody is left to tell what a fault was of.
  const Finished faulted = run("--in-process --verify " + quick + "--n 1003 --variant faults", sibling("broken_bench"));
  EXPECT_EQ(faulted.output.find("failed: "), std::string::npos) << faulted.output;
  EXPECT_NE(faulted.exit_code, 0);
}

TEST_F(Resume, AddsWhatIsMissing) {
  ASSERT_EQ(run("-q " + quick + "--n 1000,2000 --benchmark_repetitions=2 --json " + file).exit_code, 0);
  const json before = whole().at("benchmarks");
  ASSERT_EQ(before.size(), 4u);
  const std::string csv = folder_ + "/out.csv";
  const Finished more = run(quick + "--n 2000,3000 --benchmark_repetitions=3 --resume " + file + " --csv " + csv);
  EXPECT_EQ(more.exit_code, 0) << more.output;
  EXPECT_NE(more.output.find("4 results are in " + file), std::string::npos) << more.output;
  const json after = whole().at("benchmarks");  // what is not asked for again stays, too
  ASSERT_EQ(after.size(), 8u);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], before[i]);
  std::stringstream lines;
  lines << std::ifstream(csv).rdbuf();
  EXPECT_EQ(lines_in(lines.str()), 1u + 2 * 3) << lines.str();
}

TEST_F(Resume, KeepsResultsOfAnotherCommitAndSaysSo) {
  ASSERT_EQ(run("-q " + quick + "--n 1000,2000 --json " + file).exit_code, 0);
  json older = whole();
  older["context"]["commit"] = "0123456789ab";
  older["benchmarks"][0]["commit"] = "0123456789ab";
  std::ofstream(file) << older;
  const Finished finished = run(quick + "--n 1000,2000,3000 --resume " + file);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("2 results are in " + file + " already, 1 of them of another commit"),
            std::string::npos)
      << finished.output;
  const json after = whole();
  ASSERT_EQ(after["benchmarks"].size(), 3u);
  EXPECT_EQ(after["benchmarks"][0]["commit"], "0123456789ab");
  EXPECT_EQ(after["benchmarks"][2]["commit"], older["benchmarks"][1]["commit"]);
  EXPECT_EQ(after["benchmarks"][1], older["benchmarks"][1]);
}

TEST_F(Resume, MeasuresErrorsOfWhatIsKept) {
  ASSERT_EQ(run("-q " + quick + "--n 1000 --json " + file).exit_code, 0);
  const json before = whole().at("benchmarks").at(0);
  EXPECT_FALSE(before.contains("accuracy"));
  const Finished more = run("-q " + quick + "--n 1000,2000 --accuracy --resume " + file);
  EXPECT_EQ(more.exit_code, 0) << more.output;
  const json after = whole().at("benchmarks");
  ASSERT_EQ(after.size(), 2u);
  EXPECT_EQ(after[0].at("sample_times"), before.at("sample_times"));
  for (const json& row : after) EXPECT_EQ(row.at("accuracy").size(), 3u) << row.at("name");
}

TEST_F(Resume, TakesItsRequestFromTheFile) {
  const std::string request =
      "--experiment reduce_sum --backend host --hot --single --placements 3 --min-time 0.002 "
      "--seed 7 --n 1000,2000 --benchmark_repetitions=2 '--benchmark_filter=n:.000/'";
  ASSERT_EQ(run("-q " + request + " --json " + file).exit_code, 0);
  const json before = whole();
  ASSERT_EQ(before["benchmarks"].size(), 8u);
  // As if it had been cut short.
  json half = before;
  half["benchmarks"].erase(4);
  half["benchmarks"].erase(2);
  std::ofstream(file) << half;
  const Finished finished = run("--resume " + file);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  std::multiset<std::string> was, is;
  for (const json& row : before["benchmarks"]) was.insert(row["name"].get<std::string>());
  const json after = whole();
  for (const json& row : after["benchmarks"]) is.insert(row["name"].get<std::string>());
  EXPECT_EQ(is, was);
  for (const char* fact : {"request", "seed", "min_time_s", "placements"})
    EXPECT_EQ(after["context"][fact], before["context"][fact]) << fact;
}

TEST_F(Resume, LeavesPointsAndVariantsToAnExperimentThatIsGiven) {
  const std::string sum = "--experiment reduce_sum --variant reference --n 1000 ",
                    rows = "--experiment row_sum --m 300 --n 30 ";
  ASSERT_EQ(run("-q " + quick + sum + "--json " + file).exit_code, 0);
  for (const auto& [request, cells] : {std::pair{rows, 2u}, {sum, 2u}, {"--n 1000,2000 ", 3u}}) {
    const Finished added = run("-q " + request + " --resume " + file);
    EXPECT_EQ(added.exit_code, 0) << request << added.output;
    EXPECT_EQ(names().size(), cells) << request;
  }
}

TEST_F(Resume, PrintsTheTableWhereNothingIsLeft) {
  ASSERT_EQ(run("-q " + quick + "--n 1000 --json " + file).exit_code, 0);
  const Finished finished = run("-q --resume " + file);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find("host/reduce_sum/reference"), std::string::npos) << finished.output;
}

TEST_F(Resume, SaysWhereAFileDoesNotTellItsRequest) {
  ASSERT_EQ(run("-q " + quick + "--n 1000 --json " + file).exit_code, 0);
  json older = whole();
  older["context"].erase("request");
  std::ofstream(file) << older;
  const Finished finished = run("--resume " + file);
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
  EXPECT_NE(finished.output.find("has no request"), std::string::npos) << finished.output;
}

TEST_F(Resume, SaysWhatIsNoResultsFile) {
  const std::string fifo = folder_ + "/fifo", empty = folder_ + "/empty";
  ASSERT_EQ(run_process("mkfifo " + fifo).exit_code, 0);
  std::ofstream{empty};
  for (const auto& [path, says] : std::map<std::string, std::string>{{fifo, "is not a regular file"},
                                                                     {folder_, "is a folder"},
                                                                     {empty, "is empty"},
                                                                     {folder_ + "/none", "no such file"}}) {
    const Finished finished = run("--resume " + path);
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_TRUE(finished.output.starts_with("bench: --resume " + path + ": " + says)) << finished.output;
    EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
  }
}

TEST_F(Resume, FindsTheJournalBehindALink) {
  const std::string link = folder_ + "/link.json";
  fs::create_symlink("out.json", link);
  ASSERT_EQ(run("-q " + quick + "--n 1000 --json " + link).exit_code, 0);
  fs::remove(file);
  EXPECT_EQ(run("-q --resume " + link).exit_code, 0);
  EXPECT_EQ(names().size(), 1u);
}

TEST_F(Resume, LetsOneRunAtATimeWriteAFile) {
  const std::string cells = host + "--min-time 0.2 --n 1000:100000:+1000";
  Running program(bench + " " + cells + " --json " + file);
  ASSERT_TRUE(soon([&] { return journal_lines() > 1; }));
  std::ofstream(file + ".old") << R"({"context": {}, "benchmarks": []})";
  for (const std::string& second :
       {"-f -q " + cells + " --json " + file, "-q --resume " + file, "-f -q " + host + "--n 8 --csv " + file,
        "report " + file + ".old -o " + file, "report " + file + ".old -o " + file + ".journal"}) {
    const Finished refused = run(second);
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_NE(refused.output.find("another run is writing it"), std::string::npos) << refused.output;
  }
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_GE(names().size(), 1u);
}

/// Runs until a few cells are done, sends signals a moment apart, and looks at the file.
class ResumeSignals : public Resume, public testing::WithParamInterface<std::vector<int>> {};

TEST_P(ResumeSignals, WritesTheFileAllTheSame) {
  const std::string cells = quick + "--n 1000:40000:+1000";
  Running program(bench + " -q " + cells + " --json " + file);
  ASSERT_TRUE(soon([&] { return journal_lines() > 2; }));
  for (const int signal : GetParam()) {
    program.send(signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(program.wait(), 128 + GetParam().front());
  ASSERT_TRUE(fs::exists(file));
  const std::size_t done = names().size();
  EXPECT_GE(done, 2u);
  EXPECT_LT(done, 40u);
}

INSTANTIATE_TEST_SUITE_P(Signals, ResumeSignals,
                         testing::Values(std::vector{SIGTERM}, std::vector{SIGTERM, SIGTERM},
                                         std::vector{SIGINT, SIGINT, SIGINT, SIGTERM}, std::vector{SIGHUP},
                                         std::vector{SIGHUP, SIGTERM}, std::vector{SIGPIPE}));

TEST_F(Resume, LeavesNothingWhereItEndsBeforeTheFirstResult) {
  Running program(bench + " -q " + quick + "--n 1000:40000:+1000 --json " + file);
  ASSERT_TRUE(soon([&] { return fs::exists(file + ".journal.tmp") || fs::exists(file + ".journal"); }));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_FALSE(fs::exists(file + ".journal.tmp"));
  EXPECT_EQ(fs::exists(file), fs::exists(file + ".journal"));
}

TEST_F(Resume, SaysThatAFileMayGrowNoMore) {
  const Finished finished =
      run_process("ulimit -f 8; " + bench + " -q " + quick + "--n 1000:40000:+1000 --json " + file);
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_NE(finished.output.find("File too large"), std::string::npos) << finished.output;
}

TEST_F(Resume, WritesTheFileWhereItsReaderHasGone) {
  const Finished finished = run(quick + "--n 1000:40000:+1000 --json " + file + " | head -c 1");
  ASSERT_TRUE(fs::exists(file)) << finished.output;
  EXPECT_GE(names().size(), 1u);
  EXPECT_LT(names().size(), 40u);
  EXPECT_NE(finished.output.find("--resume " + file), std::string::npos) << finished.output;
}

TEST_F(Resume, GoesOnWhereTheTerminalsHangUpIsIgnored) {  // nohup
  Running program("nohup " + bench + " -q " + quick + "--n 1000:10000:+1000 --json " + file);
  ASSERT_TRUE(soon([&] { return journal_lines() > 2; }));
  program.send(SIGHUP);
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(names().size(), 10u);
}

TEST_F(Resume, GoesOnFromTheJournalOfARunThatWasKilled) {
  const std::string cells = quick + "--n 1000:40000:+1000";
  {
    Running program(bench + " " + cells + " --json " + file);
    ASSERT_TRUE(soon([&] { return journal_lines() > 2; }));
    const pid_t worker = program.worker();
    EXPECT_TRUE(is_running(worker)) << worker;
    program.send(SIGKILL);
    program.wait();
    EXPECT_TRUE(soon([&] { return !is_running(worker); }));
  }
  EXPECT_FALSE(fs::exists(file));
  fs::resize_file(file + ".journal", fs::file_size(file + ".journal") - 100);  // killed in the middle of a line
  const auto before = finished();
  EXPECT_GE(before.size(), 1u);
  EXPECT_LT(before.size(), 40u);
  ASSERT_EQ(run("-q " + cells + " --resume " + file).exit_code, 0);
  EXPECT_EQ(names().size(), 40u);
  for (const auto& [name, samples] : before) EXPECT_EQ(finished().at(name), samples) << name;
}

TEST_F(Resume, RefusesWhatDoesNotBelongIntoOneFile) {
  ASSERT_EQ(run("-q " + quick + "--n 1000 --json " + file).exit_code, 0);
  const auto refused = [&](const std::string& arguments, const std::string& says) {
    const Finished finished = run("-q " + quick + arguments + " --resume " + file);
    EXPECT_EQ(finished.exit_code, 2) << finished.output;
    EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
    EXPECT_NE(finished.output.find(says), std::string::npos) << finished.output;
  };
  const auto before = finished();
  refused("--n 1000 --seed 4", "seed was 1 and is 4; run with --seed 1");
  json other = whole();
  other["context"]["device.host.name"] = "Abacus 1";
  std::ofstream(file) << other;
  refused("--n 1000", "device.host.name was Abacus 1 and is ");
  EXPECT_EQ(finished(), before);
  std::ofstream(file) << "{}";
  refused("--n 1000", "not a result file");
}

TEST_F(Resume, KeepsWhatIsDoneOnCtrlC) {
  const std::string cells = quick + "--n 1000:40000:+1000";
  {
    const std::string said = folder_ + "/said";
    Running program(bench + " " + cells + " --json " + file + " 2>" + said);
    ASSERT_TRUE(soon([&] { return journal_lines() > 2; }));
    program.send(SIGINT);
    EXPECT_EQ(program.wait(), 128 + SIGINT);
    std::ostringstream lines;
    lines << std::ifstream(said).rdbuf();
    EXPECT_NE(lines.str().find("--resume " + file), std::string::npos) << lines.str();
  }
  const auto before = finished();
  EXPECT_GE(before.size(), 2u);
  EXPECT_LT(before.size(), 40u);
  EXPECT_EQ(names().size(), before.size());  // the file itself is there, and whole
  ASSERT_EQ(run("-q " + cells + " --resume " + file).exit_code, 0);
  EXPECT_EQ(names().size(), 40u);
  for (const auto& [name, samples] : before) EXPECT_EQ(finished().at(name), samples) << name;
}

TEST_F(Resume, LosesNothingToASecondCtrlC) {
  const std::string cells = quick + "--n 1000:40000:+1000";
  {
    Running program(bench + " -q " + cells + " --json " + file);
    ASSERT_TRUE(soon([&] { return journal_lines() > 2; }));
    const pid_t worker = program.worker();
    program.send(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    program.send(SIGINT);
    EXPECT_EQ(program.wait(), 128 + SIGINT);
    EXPECT_TRUE(soon([&] { return !is_running(worker); }));
  }
  const auto before = finished();
  EXPECT_GE(before.size(), 2u);
  ASSERT_EQ(run("-q " + cells + " --resume " + file).exit_code, 0);
  EXPECT_EQ(names().size(), 40u);
  for (const auto& [name, samples] : before) EXPECT_EQ(finished().at(name), samples) << name;
}

/// What a program writes to a terminal.
std::string on_a_terminal(const std::string& command) {
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (process == 0) {
    execl("/bin/sh", "sh", "-c", ("TERM=xterm " + command + " >/dev/null").c_str(), nullptr);
    _exit(127);
  }
  std::string output;
  char piece[4096];
  for (ssize_t got = 0; (got = read(terminal, piece, sizeof piece)) > 0;)
    output.append(piece, static_cast<std::size_t>(got));
  close(terminal);
  waitpid(process, nullptr, 0);
  return output;
}

TEST_F(Resume, ShowsItsProgressOnATerminalOnly) {
  const std::string command = bench + " " + quick + "--n 1000,2000 ";
  const std::string shown = on_a_terminal("NO_COLOR= " + command);
  EXPECT_TRUE(std::regex_search(shown, std::regex(R"(\[1/2, about \d+ s left\] reduce_sum n:1000)"))) << shown;
  EXPECT_NE(shown.find("[2/2, about "), std::string::npos) << shown;
  EXPECT_NE(shown.find("\033[2m"), std::string::npos) << shown;
  const std::string plain = on_a_terminal("NO_COLOR=1 " + command);
  EXPECT_NE(plain.find("left] reduce_sum n:1000"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("\033[2m"), std::string::npos) << plain;
}

/// Kills workers and the program again and again, and lets it go on each time.
TEST_F(Resume, LosesNothingToKillsAtRandomMoments) {
  const char* asked = std::getenv("CROSSWARP_KILLS");
  const int kills = asked ? std::atoi(asked) : 20;
  const std::string cells = host + "--min-time 0.03 --n 1000:24000:+1000";
  const auto going_on = [&] {
    const bool is_begun = fs::exists(file) || fs::exists(file + ".journal");
    return bench + " -q " + (is_begun ? "--resume " : cells + " --json ") + file;
  };
  const std::size_t all = 24;
  // Most programs are to be killed after they started, which takes them longest here.
  const auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(run("-q " + host + "--n 1000 --json " + file).exit_code, 0);
  const double start = Seconds(std::chrono::steady_clock::now() - began).count();
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  std::mt19937 random(4);  // the moments differ anyway
  const auto wait_for_some_time = [&](Running& program, double least, double most) {
    const auto end = std::chrono::steady_clock::now() + Seconds(std::uniform_real_distribution<>(least, most)(random));
    while (std::chrono::steady_clock::now() < end && !program.is_over())
      std::this_thread::sleep_for(std::chrono::microseconds(500));
  };
  std::map<std::string, json> before;
  int done = 0, of_workers = 0, left_new_cells = 0, whole_runs = 0;
  while (done < kills) {
    Running program(going_on());
    wait_for_some_time(program, random() % 3 ? 0.9 * start : 0, 1.5 * start);
    for (auto more = random() % 7; more > 0 && !program.is_over(); --more) {
      if (const pid_t worker = program.worker()) {
        kill(worker, random() % 2 ? SIGKILL : SIGSEGV);
        ++done, ++of_workers;
      }
      wait_for_some_time(program, 0, 0.3);
    }
    const int signals[] = {SIGKILL, SIGKILL, SIGTERM, SIGINT};
    program.send(signals[random() % 4]);
    ++done;
    program.wait();
    const auto after = finished();
    for (const auto& [name, samples] : before) {
      ASSERT_TRUE(after.contains(name)) << "lost by kill " << done << ": " << name;
      ASSERT_EQ(after.at(name), samples) << "changed by kill " << done << ": " << name;
    }
    left_new_cells += after.size() > before.size();
    before = after;
    if (before.size() < all) continue;
    ++whole_runs;
    before.clear();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  const Finished last = run_process(going_on());
  EXPECT_EQ(last.exit_code, 0) << last.output;
  EXPECT_EQ(names().size(), all);
  const Finished plan = run("--dry-run " + cells);
  for (const std::string& name : names()) EXPECT_NE(plan.output.find(name), std::string::npos) << name;
  for (const auto& [name, label] : labels()) EXPECT_EQ(label, "ok") << name;
  EXPECT_GT(left_new_cells, 0) << "every kill came too early";
  std::cout << done << " kills, " << of_workers << " of them of workers; " << left_new_cells << " runs left new cells, "
            << whole_runs << " were completed\n";
}

}  // namespace
}  // namespace crosswarp
