// scripts/measure check: it finds rows that have changed and no others, on a bench that answers with stored times by
// factors.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// `factors.json`: by name, factors of the first time and of the second; `card` of all others; a word is a status.
constexpr const char* fake_bench = R"(#!/usr/bin/env python3
import json, pathlib, sys
here, arguments = pathlib.Path(__file__).parent, sys.argv[1:]
if arguments[0] == "report":
    print(pathlib.Path(arguments[-1]).read_text())
    sys.exit()
if arguments == ["devices"]:
    print("backend  device  what\ncuda  0  Fake GPU, driver 1")
    sys.exit()
option = lambda name: arguments[arguments.index(name) + 1]
factors, cells = json.loads((here / "factors.json").read_text()), option("--cells")
stored = {r["name"]: r for f in (here / "results").glob("*.json") for r in json.loads(f.read_text())["benchmarks"]}
rows = []
for number, name in enumerate(pathlib.Path(cells).read_text().split(), 1):
    factor = factors.get(name, factors["card"])
    if factor == "gone":
        sys.exit(f"bench: --cells {cells}:{number}: {name}: not in this build")
    row = dict(stored[name])
    if isinstance(factor, str):
        row.update(status=factor, label=f"{factor}: as told", note="as told", real_time=None)
    else:
        factor = factor[option("--placements") == "16"] if isinstance(factor, list) else factor
        for time in ("real_time", "real_time_low", "real_time_high"):
            row[time] *= factor
        row["placements"] = int(option("--placements"))
    rows.append(row)
with open(here / "measured.txt", "a") as log:
    log.write("".join(row["name"] + "\n" for row in rows))
pathlib.Path(option("--json")).write_text(json.dumps({"context": {}, "benchmarks": rows}))
)";

class CheckRows : public testing::Test {
 protected:
  CheckRows() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "results");
    write("bench", fake_bench);
    chmod((folder_ / "bench").c_str(), 0755);
    for (const char* experiment : {"copy", "gemm"})
      for (const int n : {1, 2})
        for (const char* variant : {"a", "b", "c", "d", "e"}) add(experiment, variant, n, 100e3);
    for (const char* variant : {"a", "b"}) add("few", variant, 1, 100e3);
    for (const char* variant : {"a", "b", "c", "d", "e"}) add("short", variant, 1, 4e3);
    write_results();
    expect_factors({});
  }
  ~CheckRows() override { fs::remove_all(folder_); }

  void write(const std::string& path, const std::string& text) const { std::ofstream(folder_ / path) << text; }
  void write_results() const {
    write("results/all.json", json{{"context", json::object()}, {"benchmarks", rows_}}.dump());
  }
  void expect_factors(json factors) const {
    factors.emplace("card", 1.0);
    write("factors.json", factors.dump());
  }

  static std::string name_of(const std::string& experiment, const std::string& variant, int n = 1) {
    return "cuda/" + experiment + "/" + variant + "/n:" + std::to_string(n) + "/cold";
  }
  /// A row with an interval of 0.3 %.
  json& add(const std::string& experiment, const std::string& variant, int n, double time) {
    rows_.push_back({{"name", name_of(experiment, variant, n)},
                     {"rung", "cuda/" + experiment + "/" + variant},
                     {"backend", "cuda"},
                     {"experiment", experiment},
                     {"variant", variant},
                     {"axes", {{"n", n}}},
                     {"mode", "cold"},
                     {"launch_by", "stream"},
                     {"device", "Fake GPU"},
                     {"repetition_index", 0},
                     {"status", "ok"},
                     {"label", "ok"},
                     {"note", nullptr},
                     {"real_time", time},
                     {"real_time_low", 0.997 * time},
                     {"real_time_high", 1.003 * time},
                     {"placements", 16},
                     {"launches_per_sample", 20},
                     {"rate_of", "bytes"},
                     {"ceiling", "memory"}});
    return rows_.back();
  }

  Finished check(const std::string& options = "100 --seed 1") const {
    fs::remove(folder_ / "measured.txt");
    return run_process((source_tree() / "scripts/measure").string() + " check " + (folder_ / "results").string() +
                       " --bin " + folder_.string() + " --out " + (folder_ / "out").string() + " " + options);
  }
  std::multiset<std::string> measured() const {
    std::ifstream file(folder_ / "measured.txt");
    return {std::istream_iterator<std::string>(file), {}};
  }
  /// The names in lines that begin with `row: ` or `point: `.
  static std::set<std::string> named(const std::string& output, const std::string& kind) {
    std::set<std::string> names;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(kind + ": "))
        names.insert(line.substr(kind.size() + 2, line.find(' ', kind.size() + 2) - kind.size() - 2));
    return names;
  }
  void expect_all_hold(const std::string& said = "27 of 27 rows hold") const {
    const Finished checked = check();
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
    EXPECT_NE(checked.output.find(said), std::string::npos) << checked.output;
  }
  void expect_found(const std::set<std::string>& names, const std::string& kind = "row") const {
    const Finished checked = check();
    EXPECT_EQ(checked.exit_code, 1) << checked.output;
    EXPECT_EQ(named(checked.output, kind), names) << checked.output;
  }

  const fs::path folder_ = temporary_file("check_rows");
  std::vector<json> rows_;
};

TEST_F(CheckRows, HoldWhereNothingChanged) {
  expect_all_hold();
  EXPECT_EQ(measured().size(), 27u) << "each row once";
}

TEST_F(CheckRows, HoldOnASlowerCard) {
  expect_factors({{"card", 1.03}});
  expect_all_hold("the card is 3.0 % slower than the stored one");
}

TEST_F(CheckRows, FindsOneRowThatIsSlowerOrFaster) {
  for (const double factor : {1.05, 0.95}) {
    expect_factors({{name_of("gemm", "c", 2), factor}});
    expect_found({name_of("gemm", "c", 2)});
  }
  expect_factors({{"card", 1.03}, {name_of("gemm", "c", 2), 1.03 * 1.05}});
  expect_found({name_of("gemm", "c", 2)});
}

TEST_F(CheckRows, FindsARowWithOneReference) {
  expect_factors({{name_of("few", "b"), 1.05}});
  expect_found({name_of("few", "b")});
}

TEST_F(CheckRows, FindsTwoVariantsOfOneKernel) {
  expect_factors({{name_of("gemm", "a"), 1.05}, {name_of("gemm", "b"), 1.05}});
  expect_found({name_of("gemm", "a"), name_of("gemm", "b")});
}

TEST_F(CheckRows, FindsAPointThatIsSlower) {
  json factors;
  std::set<std::string> names;
  for (const char* variant : {"a", "b", "c", "d", "e"}) {
    names.insert(name_of("copy", variant, 2));
    factors[name_of("copy", variant, 2)] = 1.2;
  }
  expect_factors(factors);
  expect_found(names, "point");
}

TEST_F(CheckRows, FindsAPartOfTheDeviceThatIsSlower) {
  json factors;
  for (json& row : rows_)
    if (row["experiment"] == "gemm") {
      row["ceiling"] = "tensor_f16";
      factors[row["name"].get<std::string>()] = 1.06;
    }
  write_results();
  expect_factors(factors);
  const Finished checked = check();
  EXPECT_EQ(checked.exit_code, 1) << checked.output;
  EXPECT_NE(checked.output.find("ceiling: 10 rows held to tensor_f16 are 6.0 % slower than the card (median)\n"),
            std::string::npos)
      << checked.output;
}

TEST_F(CheckRows, HoldWhereTimesAreNoisy) {
  rows_.back()["real_time_high"] = 1.04 * rows_.back()["real_time"].get<double>();
  write_results();
  expect_factors({{name_of("short", "e"), 1.08},                        // 4 µs
                  {name_of("copy", "a"), json::array({1.08, 1.0})},     // once
                  {name_of("copy", "b"), json::array({1.08, 0.93})}});  // once slower, once faster
  expect_all_hold();
}

TEST_F(CheckRows, TakesRowsOfEveryExperimentAndNoOthers) {
  add("marked", "a", 1, 100e3)["stale"] = true;
  add("spanning", "a", 1, 100e3)["axes"]["ranks"] = 2;
  add("elsewhere", "a", 1, 100e3)["device"] = "Fake GPU 2";
  write_results();
  const Finished checked = check("1 --seed 1");
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_NE(checked.output.find("4 of 4 rows hold"), std::string::npos) << checked.output;
  EXPECT_NE(checked.output.find("; left out, over several GPUs: spanning\n"), std::string::npos) << checked.output;
  std::set<std::string> experiments;
  for (const std::string& name : measured()) experiments.insert(name.substr(5, name.find('/', 5) - 5));
  EXPECT_EQ(experiments, (std::set<std::string>{"copy", "few", "gemm", "short"}));
}

TEST_F(CheckRows, RepeatsADrawByItsSeed) {
  const std::string said = check("6").output,
                    seed = said.substr(said.find("--seed "), said.find('\n') - said.find("--seed "));
  const auto first = measured();
  EXPECT_EQ((check("6 " + seed), measured()), first);
  std::set<std::multiset<std::string>> draws;
  for (const char* other : {"6 --seed 1", "6 --seed 2", "6 --seed 3"}) draws.insert((check(other), measured()));
  EXPECT_GT(draws.size(), 1u);
}

TEST_F(CheckRows, ListsRowsThatHaveNoTime) {
  expect_factors({{name_of("gemm", "a"), "wrong"}, {name_of("copy", "a"), "gone"}, {name_of("copy", "b"), "skipped"}});
  const Finished checked = check();
  EXPECT_EQ(checked.exit_code, 1) << checked.output;
  for (const std::string& line :
       {"wrong: as told: " + name_of("gemm", "a") + "\n",
        "not measured: " + name_of("copy", "a") + ": " + name_of("copy", "a") + ": not in this build\n",
        "not measured: " + name_of("copy", "b") + ": as told\n", std::string("24 of 25 rows hold")})
    EXPECT_NE(checked.output.find(line), std::string::npos) << line << checked.output;
}

TEST_F(CheckRows, RefusesInOneLine) {
  for (json& row : rows_) row["device"] = "Other GPU";
  write_results();
  fs::create_directories(folder_ / "empty");
  const std::string script = (source_tree() / "scripts/measure").string() + " check ",
                    bin = " --bin " + folder_.string();
  const std::map<std::string, std::string> said{
      {script + (folder_ / "results").string() + bin, "is of Other GPU, which this machine lacks"},
      {script + (folder_ / "empty").string() + bin, "has no rows of one GPU"},
      {script + (folder_ / "nowhere").string() + bin, "is no folder"},
      {script + (folder_ / "results").string() + " 0" + bin, "0 rows cannot be drawn"},
      {script + (folder_ / "results").string() + " many" + bin, "invalid int value: 'many'"},
      {script + (folder_ / "results").string() + " --bin " + (folder_ / "empty").string(), "--bin names its folder"},
      {script + bin, "folder"}};
  for (const auto& [command, why] : said) {
    const Finished refused = run_process(command);
    EXPECT_EQ(refused.exit_code, 2) << command << refused.output;
    EXPECT_NE(refused.output.find(why), std::string::npos) << refused.output;
    EXPECT_EQ(lines_in(refused.output), 1u) << refused.output;
  }
}

}  // namespace
}  // namespace crosswarp
