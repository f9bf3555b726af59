// `bench tune` as a user runs it: search, table, a later run that reads it, resume, a module's variant.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

using Json = nlohmann::ordered_json;

Finished run(const std::string& arguments) { return run_process(sibling("bench") + " " + arguments); }

const std::string module = "--load " + sibling("modules/tunable.so") + " --variant tunable --backend host ";
const std::string quick = "-q --min-time 0.002 --placements 2 ";

Json read(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

class Tune : public testing::Test {
 protected:
  Tune() { std::filesystem::create_directories(folder_); }
  ~Tune() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  /// Of the only row of a run of tunable at n.
  Json tuned_by(const std::string& table, const std::string& more = "") const {
    const std::string json = file("row.json");
    const Finished finished = run_process("CROSSWARP_TUNINGS=" + table + " " + sibling("bench") + " -f " + quick +
                                          module + more + " --json " + json);
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    return read(json)["benchmarks"].back().value("tuned_by_table", Json());
  }

 private:
  std::string folder_ = temporary_file("tune");
};

/// The order of the tunings is known: fewer passes, except for none, which is wrong.
TEST_F(Tune, FindsTheFastestRightTuningOfAModule) {
  const std::string json = file("search.json"), table = file("table.json");
  const Finished finished = run("tune " + quick + module + "--n 50000,100000 --json " + json + " --output " + table);
  EXPECT_EQ(finished.exit_code, 1) << finished.output;  // a tuning is wrong
  EXPECT_NE(finished.output.find("wrong"), std::string::npos) << finished.output;
  const Json tuned = read(table);
  ASSERT_EQ(tuned.size(), 2u) << tuned;
  for (const Json& point : tuned) {
    EXPECT_EQ(point["variant"], "host/reduce_sum/tunable");
    EXPECT_EQ(point["tuning"], "passes1");
    EXPECT_GT(point["over_default"].get<double>(), 1.5);
    EXPECT_TRUE(point["source"].get<std::string>().starts_with("module "));
  }
  std::map<std::size_t, std::set<std::string>> rounds;
  const Json searched = read(json);
  for (const Json& row : searched["benchmarks"])
    if (row["axes"]["n"] == 50000) rounds[row["repetition_index"]].insert(row["rung"]);
  EXPECT_EQ(rounds[0].size(), 5u);
  // The last round has the fastest of the right ones, and not the slowest, however busy the machine is.
  EXPECT_TRUE(rounds.rbegin()->second.contains("host/reduce_sum/tunable@passes1"));
  EXPECT_FALSE(rounds.rbegin()->second.contains("host/reduce_sum/tunable@passes6"));
  EXPECT_LT(rounds.rbegin()->second.size(), 4u);

  // A later run takes it, at the nearest point; named tunings are meant; a table of another source does not count.
  EXPECT_EQ(tuned_by(table, "--n 60000"), "passes1");
  EXPECT_EQ(tuned_by(table, "--n 60000 --tuning passes6"), Json());
  EXPECT_EQ(tuned_by(file("none.json"), "--n 60000"), Json());
  Json other = tuned;
  for (Json& point : other) point["source"] = "module 0";
  std::ofstream(file("other.json")) << other;
  EXPECT_EQ(tuned_by(file("other.json"), "--n 60000"), Json());
}

/// As if the run had ended after the first round of each point: it is kept, and not measured again.
TEST_F(Tune, ResumesAtTheRoundThatIsMissing) {
  const std::string json = file("resumed.json");
  run("tune " + quick + module + "--n 50000 --json " + json + " --output " + file("a.json"));
  Json results = read(json), first = Json::array();
  for (const Json& row : results["benchmarks"])
    if (row["repetition_index"] == 0) first.push_back(row);
  ASSERT_EQ(first.size(), 5u);
  results["benchmarks"] = first;
  std::ofstream(json) << results;
  std::filesystem::remove(json + ".journal");
  const Finished finished = run("-q " + module + "--resume " + json + " --output " + file("b.json"));
  EXPECT_EQ(finished.exit_code, 2) << finished.output;  // --output is tune's
  const Finished resumed = run("tune -q " + module + "--resume " + json + " --output " + file("b.json"));
  const Json after = read(json)["benchmarks"];
  ASSERT_GT(after.size(), 5u) << resumed.output;
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(after[i], first[i]);
  EXPECT_EQ(read(file("b.json"))[0]["tuning"], "passes1");
}

/// The host's own dispatcher, at random points: table in the user's folder.
TEST_F(Tune, KeepsTheTableInTheUsersFolder) {
  const std::string tables = std::string(std::getenv("XDG_STATE_HOME")) + "/crosswarp/tunings.json";
  const Finished finished =
      run("tune -q --min-time 0.001 --placements 2 --experiment matmul_f32 --backend host --random 2 "
          "--seed 1596 --tuning rows4_columns128,rows8_columns32,rows1_columns512");
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  const Json table = read(tables);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0]["variant"], "host/matmul_f32/tiled");
  const Finished later =
      run("-q --min-time 0.001 --experiment matmul_f32 --backend host --variant tiled --m 8 --n 24 "
          "--k 272 --json " +
          file("later.json"));
  ASSERT_EQ(later.exit_code, 0) << later.output;
  EXPECT_TRUE(read(file("later.json"))["benchmarks"][0].contains("tuned_by_table"));
  std::filesystem::remove(tables);
}

/// Whatever is in the way stays as it is: the search does not begin.
TEST_F(Tune, ReplacesNothingButATable) {
  const std::string tune = "tune " + quick + module;
  const auto contents = [](const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  for (const char* text : {"my notes", R"({"context": {}, "benchmarks": []})", R"([{"device":"a","vari)"}) {
    std::ofstream(file("there")) << text;
    for (const bool is_named : {true, false}) {
      const std::string command = sibling("bench") + " " + tune;
      const Finished finished = run_process(is_named ? command + "--output " + file("there")
                                                     : "CROSSWARP_TUNINGS=" + file("there") + " " + command);
      EXPECT_EQ(finished.exit_code, 2) << finished.output;
      EXPECT_NE(finished.output.find("not a table of tunings"), std::string::npos) << finished.output;
      EXPECT_EQ(contents(file("there")), text);
    }
  }
}

TEST_F(Tune, IsToldByCompare) {
  const std::string cell = quick + module + "--n 50000 ", table = file("table.json"),
                    time = sibling("bench") + " -f " + cell + "--json ";
  run("tune " + cell + "--output " + table);  // one of its tunings is wrong
  ASSERT_EQ(run_process("CROSSWARP_TUNINGS=/none " + time + file("before.json")).exit_code, 0);
  ASSERT_EQ(run_process("CROSSWARP_TUNINGS=" + table + " " + time + file("after.json")).exit_code, 0);
  const Finished finished = run("compare " + file("before.json") + " " + file("after.json"));
  EXPECT_NE(finished.output.find("The table of bench tune had other tunings for "), std::string::npos)
      << finished.output;
  // Nor does a page replace results that are no input of the command.
  std::filesystem::copy_file(file("after.json"), file("kept.json"));
  for (const std::string& command :
       {"compare " + file("before.json") + " " + file("after.json"), "report " + file("after.json")}) {
    const Finished refused = run(command + " -o " + file("kept.json"));
    EXPECT_EQ(refused.exit_code, 2) << refused.output;
    EXPECT_NE(refused.output.find("holds results of bench --json"), std::string::npos) << refused.output;
  }
  EXPECT_EQ(read(file("kept.json")), read(file("after.json")));
}

/// scripts/tuners on made-up times. The default tuning is called a1; its row does not say so. a2 failed at 3000.
TEST_F(Tune, IsComparedWithAnExhaustiveSearch) {
  const auto row = [](int n, const Json& tuning, double nanoseconds) {
    return Json{{"status", "ok"}, {"axes", {{"n", n}}}, {"tuning", tuning}, {"real_time", nanoseconds}};
  };
  Json all{{"benchmarks",
            {row(1000, nullptr, 3000), row(1000, "a2", 2000), row(2000, nullptr, 4000), row(2000, "a2", 4040),
             row(3000, nullptr, 5000)}}};
  std::ofstream(file("all.json")) << all;
  std::ofstream(file("table.json"))
      << R"([{"point": {"n": 1000}, "tuning": "a1"}, {"point": {"n": 2000}, "tuning": "a2"},
    {"point": {"n": 3000}, "tuning": "a2"}])";
  std::ofstream(file("other.json")) << R"([{"n": 1000, "tuning": "a2", "ns": 1, "tunings": 5, "seconds": 7}])";
  const std::string tuners = (source_tree() / "scripts/tuners").string() + " ";
  const Finished told = run_process(tuners + file("all.json") + " " + file("table.json") + " " + file("other.json"));
  EXPECT_EQ(told.exit_code, 0) << told.output;
  for (const char* line :
       {"Kernel Tuner: 5 runs in 7 s.", "| 1,000 | `a2` | 2 µs | `a1` | 1.500 | `a2` | 1.000 |\n",
        "| 2,000 | the default | 4 µs | `a2` | 1.010 |  |  |\n", "| 3,000 | the default | 5 µs |  |  |  |  |\n",
        "- bench tune: within 2 % of the fastest at 1 of 2 points, at most 1.500.",
        "- Kernel Tuner: within 2 % of the fastest at 1 of 1 points, at most 1.000."})
    EXPECT_NE(told.output.find(line), std::string::npos) << line << "\n" << told.output;
  std::ofstream(file("none.json")) << "[]";
  const Finished nothing = run_process(tuners + file("all.json") + " " + file("none.json"));
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_NE(nothing.output.find("no point and tuning in common"), std::string::npos) << nothing.output;
}

}  // namespace
}  // namespace crosswarp
