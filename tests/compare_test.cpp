// `bench compare` as a user and a CI job meet it, on the results that are checked in: two runs of one program.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::string first_run = (source_tree() / "tests/data/reduce_sum_hip.json").string();
const std::string second_run = (source_tree() / "tests/data/reduce_sum_hip_again.json").string();

Finished compare(const std::string& arguments) { return run_process(sibling("bench") + " compare " + arguments); }

Json read(const std::string& path) { return Json::parse(whole_results(path)); }

/// A file for the time of a test: JSON, or the text of a JSON string.
class File {
 public:
  File(const std::string& name, const Json& content) : path_(temporary_file(name)) {
    std::ofstream(path_) << (content.is_string() ? content.get<std::string>() : content.dump());
  }
  ~File() { fs::remove(path_); }
  operator const std::string&() const { return path_; }

 private:
  std::string path_;
};

using Row = std::function<void(Json&)>;

/// The results of a run, with every row changed.
Json changed(const std::string& path, const Row& change) {
  Json json = read(path);
  for (Json& row : json["benchmarks"]) change(row);
  return json;
}

Row slowed(double factor) {
  return [factor](Json& row) {
    for (Json& sample : row["sample_times"]) sample = sample.get<double>() * factor;
  };
}

Row only(const std::string& name, const Row& change) {
  return [=](Json& row) {
    if (row["name"] == name) change(row);
  };
}

void break_it(Json& row) {
  row["status"] = "wrong";
  row["note"] = "off by one";
}

/// Verdicts by cell, of `--all`. Lines begin with the one and end with the other.
std::map<std::string, std::string> verdicts(const std::string& output) {
  std::map<std::string, std::string> all;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    for (const char* verdict : {"! slower", "faster", "within noise", "no verdict"})
      if (line.starts_with(verdict))
        all[line.substr(line.rfind(' ') + 1)] = std::string(verdict).substr(*verdict == '!' ? 2 : 0);
  return all;
}

bool says(const Finished& finished, const std::string& text) { return finished.output.find(text) != std::string::npos; }

/// The line that has `text`.
std::string line_with(const Finished& finished, const std::string& text) {
  std::istringstream lines(finished.output);
  for (std::string line; std::getline(lines, line);)
    if (line.find(text) != std::string::npos) return line;
  return {};
}

const std::string float4 = "cuda/reduce_sum/float4/n:268435456/type:f32/cold";

/// How many rows of a run have a time, and how many have none.
std::size_t cells_of(const std::string& path) {
  std::size_t ok = 0;
  const Json results = read(path);
  for (const Json& row : results["benchmarks"]) ok += row["status"] == "ok";
  return ok;
}
std::size_t skips_of(const std::string& path) { return read(path)["benchmarks"].size() - cells_of(path); }

/// Gives rows energy: `joules` a launch.
Row with_energy(double joules, const std::string& throttle = "") {
  return [=](Json& row) {
    row["energy"] = {{"joules", joules},
                     {"watts", 600},
                     {"idle_watts", 100},
                     {"seconds", 2.1},
                     {"launches", 1000},
                     {"clock_mhz", 1700},
                     {"throttle", throttle.empty() ? Json() : Json(throttle)}};
  };
}

TEST(CompareRuns, TellsTheEnergyThatBothHave) {
  const File before("before.json", changed(first_run, only(float4, with_energy(0.2)))),
      after("after.json", changed(second_run, only(float4, with_energy(0.25, "power cap"))));
  const std::string inputs = std::string(before) + " " + std::string(after);
  const Finished finished = compare(inputs);
  EXPECT_TRUE(says(finished, "× the energy")) << finished.output;
  const std::string line = line_with(finished, "1.250 ");
  for (const char* part : {"200 mJ", "250 mJ", "FLOP/J", "B/J", "600 W (power cap)", float4.c_str()})
    EXPECT_NE(line.find(part), std::string::npos) << part << "\n" << finished.output;
  EXPECT_FALSE(says(compare(first_run + " " + second_run), "× the energy"));
  EXPECT_FALSE(says(compare("--without-throttled " + inputs), "× the energy"));
}

TEST(CompareRuns, LeavesOutWhatWasThrottledIfAsked) {
  const File after("after.json", changed(second_run, only(float4, [](Json& row) { row["throttle"] = "power cap"; })));
  const std::string inputs = "--all " + first_run + " " + std::string(after);
  EXPECT_EQ(verdicts(compare(inputs).output).count(float4), 1u);
  const Finished without = compare("--without-throttled " + inputs);
  EXPECT_EQ(verdicts(without.output).count(float4), 0u) << without.output;
  EXPECT_TRUE(says(without, "1 only in the old run")) << without.output;
}

TEST(CompareBackends, TellTheEnergyOfBoth) {
  const File file("file.json", changed(first_run, with_energy(0.2)));
  const Finished finished = compare("--backends cuda,hip " + std::string(file));
  EXPECT_TRUE(says(finished, "200 mJ, ")) << finished.output;
}

TEST(CompareRuns, OfOneProgramFindsNothing) {
  for (const auto& [before, after] : {std::pair{first_run, second_run}, {second_run, first_run}}) {
    const Finished finished = compare("--all " + before + " " + after);
    EXPECT_EQ(finished.exit_code, 0);
    const auto found = verdicts(finished.output);
    ASSERT_EQ(found.size(), cells_of(first_run));
    std::size_t equal = 0;
    for (const auto& [cell, verdict] : found) equal += verdict == "within noise";
    EXPECT_GE(static_cast<double>(equal), 0.99 * static_cast<double>(found.size())) << finished.output;
  }
}

TEST(CompareRuns, FindsThreePerCentFrom2To24Numbers) {
  const File slow_second("slow_second.json", changed(second_run, slowed(1.03)));
  const File slow_first("slow_first.json", changed(first_run, slowed(1.03)));
  struct Case {
    std::string before, after, verdict;
    int exit_code;
  };
  const std::vector<Case> cases{{first_run, slow_second, "slower", 1},
                                {second_run, slow_first, "slower", 1},
                                {slow_second, first_run, "faster", 0},
                                {slow_first, second_run, "faster", 0}};
  const Json results = read(first_run);
  for (const Case& c : cases) {
    const Finished finished = compare("--all " + c.before + " " + c.after);
    EXPECT_EQ(finished.exit_code, c.exit_code);
    const auto found = verdicts(finished.output);
    std::size_t large = 0;
    for (const Json& row : results["benchmarks"]) {
      if (row["axes"]["n"] < (1 << 24) || row["status"] != "ok") continue;
      const std::string name = row["name"], &verdict = found.at(name);
      if (row["samples_by_placement"].size() == 1) {
        EXPECT_EQ(verdict, "no verdict") << name;
      } else if (!row["note"].is_null()) {  // on the host: may be lost in what differs between processes
        EXPECT_TRUE(verdict == c.verdict || verdict == "within noise") << name << ": " << verdict;
      } else {
        EXPECT_EQ(verdict, c.verdict) << name;
        ++large;
      }
    }
    EXPECT_GE(large, 20u);
  }
}

TEST(CompareRuns, FindsTheOnlySlowCellAndShowsNoOther) {
  const File slow("slow_cell.json", changed(first_run, only(float4, slowed(1.03))));
  const Finished finished = compare(first_run + " " + std::string(slow));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(verdicts(finished.output), (std::map<std::string, std::string>{{float4, "slower"}}));
  const std::string all = std::to_string(cells_of(first_run)), others = std::to_string(cells_of(first_run) - 1);
  EXPECT_TRUE(says(finished, all + " cells with times in both: 1 slower, 0 faster, " + others + " within noise"))
      << finished.output;
  EXPECT_TRUE(says(finished, ". --all prints the ")) << finished.output;  // those and cells that are not ok
  EXPECT_FALSE(says(compare("--all " + first_run + " " + std::string(slow)), "--all prints"));
  const std::string line = line_with(finished, float4);
  for (const char* part : {"0.971 [0.9", "16, 16", "1.00", "2.0 %"})
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  EXPECT_EQ(compare(std::string(slow) + " " + first_run).exit_code, 0);
}

TEST(CompareRuns, CountsChangesFromTheThresholdsOn) {
  const File slow("threshold.json", changed(first_run, only(float4, slowed(1.03))));
  const std::string files = " " + first_run + " " + std::string(slow);
  EXPECT_EQ(compare("--threshold 4" + files).exit_code, 0);
  EXPECT_EQ(compare("--threshold 2.5%" + files).exit_code, 1);
  const std::string one_placement = "cuda/reduce_sum/atomic_per_element/n:1073741824/type:f32/cold";
  const File slower("coarse.json", changed(first_run, only(one_placement, slowed(1.2))));
  const std::string more = " " + first_run + " " + std::string(slower);
  const Finished by_size = compare(more);
  EXPECT_EQ(by_size.exit_code, 1);
  EXPECT_NE(line_with(by_size, one_placement).find("0.833 [?]"), std::string::npos) << by_size.output;
  const Finished too_little = compare("--coarse-threshold 25" + more);
  EXPECT_EQ(too_little.exit_code, 0);
  EXPECT_TRUE(says(too_little, "1 without a verdict")) << too_little.output;
}

TEST(CompareRuns, ExpectsAsMuchNoiseAsAnEmptyLaunchOfResultsOnTheHost) {
  const std::string waiting = "kokkos/reduce_sum/range_host_result/n:16384/type:f32/cold";
  const auto code_with_floor = [&](double share_of_time, const Json& note) {
    const Row floor = [=](Json& row) {
      row["floor_ns"] = share_of_time * row["real_time"].get<double>();
      if (!note.is_null()) row["note"] = note;
    };
    const File before("waiting.json", changed(first_run, only(waiting, floor)));
    const File after("waiting_slow.json", changed(first_run, only(waiting, slowed(1.08))));
    return compare(std::string(before) + " " + std::string(after)).exit_code;
  };
  EXPECT_EQ(code_with_floor(0.10, nullptr), 0);
  EXPECT_EQ(code_with_floor(0.06, nullptr), 1);
  EXPECT_EQ(code_with_floor(0.10, ""), 1);  // a row that does not wait
}

TEST(CompareRuns, ExpectsCoarseNoiseWhereTheDeviceIsTheHost) {
  const auto on_host = [](Json json) {
    json["context"]["device.host.name"] = "NVIDIA H200";
    return json;
  };
  const File slow("slow.json", changed(first_run, slowed(1.07)));
  const File host("host.json", on_host(read(first_run))), host_slow("host_slow.json", on_host(read(slow)));
  EXPECT_EQ(compare(first_run + " " + std::string(slow)).exit_code, 1);
  EXPECT_EQ(compare(std::string(host) + " " + std::string(host_slow)).exit_code, 0);
  EXPECT_EQ(compare("--coarse-threshold 5 " + std::string(host) + " " + std::string(host_slow)).exit_code, 1);
}

TEST(CompareRuns, CallsWhatIsNewlyWrongBroken) {
  const File wrong("wrong.json", changed(second_run, only(float4, break_it)));
  const Finished broken = compare(first_run + " " + std::string(wrong));
  EXPECT_EQ(broken.exit_code, 1);
  const std::string line = line_with(broken, float4);
  EXPECT_TRUE(line.starts_with("! broken") && line.find("wrong: off by one") != std::string::npos) << broken.output;
  EXPECT_TRUE(says(broken, std::to_string(cells_of(first_run) - 1) + " cells with times in both")) << broken.output;
  EXPECT_TRUE(says(broken, "; 1 broken")) << broken.output;

  const Finished mended = compare(std::string(wrong) + " " + first_run);
  EXPECT_EQ(mended.exit_code, 0);
  EXPECT_TRUE(line_with(mended, float4).starts_with("newly ok")) << mended.output;

  const Finished still = compare(std::string(wrong) + " " + std::string(wrong));
  EXPECT_EQ(still.exit_code, 0);
  EXPECT_EQ(line_with(still, float4), "");
  EXPECT_TRUE(says(still, "; " + std::to_string(1 + skips_of(first_run)) + " not ok in both")) << still.output;
  const std::string shown = line_with(compare("--all " + std::string(wrong) + " " + std::string(wrong)), float4);
  EXPECT_TRUE(shown.starts_with("not ok in both") && shown.find("  wrong: ") != std::string::npos) << shown;
}

TEST(CompareRuns, TakesASkipForNoFault) {
  const auto skip = [](Json& row) { row["status"] = "skipped", row["note"] = "needs tma"; };
  const File skipped("skipped.json", changed(second_run, only(float4, skip)));
  const Finished finished = compare(first_run + " " + std::string(skipped));
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_TRUE(line_with(finished, "skipped: needs tma").starts_with("newly skipped")) << finished.output;
  const File wrong("after_skip.json", changed(second_run, only(float4, break_it)));
  EXPECT_EQ(compare(std::string(skipped) + " " + std::string(wrong)).exit_code, 1);
}

TEST(CompareRuns, ListsCellsOfOnlyOneRun) {
  Json fewer = read(second_run);
  fewer["benchmarks"].erase(0);
  const File file("fewer.json", fewer);
  const Finished gone = compare(first_run + " " + std::string(file));
  EXPECT_EQ(gone.exit_code, 0);
  EXPECT_TRUE(says(gone, "; 1 only in the old run")) << gone.output;
  EXPECT_TRUE(line_with(gone, "atomic_per_element/n:1024/").starts_with("only in the old run")) << gone.output;
  EXPECT_TRUE(says(compare(std::string(file) + " " + first_run), "; 1 only in the new run"));
  Json wrong = read(first_run);
  break_it(wrong["benchmarks"][0]);
  EXPECT_EQ(compare(std::string(file) + " " + std::string(File("new_and_wrong.json", wrong))).exit_code, 1);
}

TEST(CompareRuns, TakesRepetitionsForMorePlacements) {
  Json twice = read(second_run);
  const Json more = read(first_run);
  for (Json row : more["benchmarks"]) {
    row["repetition_index"] = 1;
    twice["benchmarks"].push_back(row);
  }
  const File file("twice.json", twice);
  const Finished finished = compare("--all " + first_run + " " + std::string(file));
  EXPECT_NE(line_with(finished, float4).find("16, 32"), std::string::npos) << line_with(finished, float4);
  break_it(twice["benchmarks"].back());
  const File broken("once_wrong.json", twice);
  EXPECT_EQ(compare(first_run + " " + std::string(broken)).exit_code, 1);
}

TEST(CompareRuns, SaysWhatTheRunsDifferIn) {
  EXPECT_FALSE(says(compare(first_run + " " + second_run), "The runs differ"));
  Json other = read(second_run);
  other["context"]["seed"] = "2";
  other["context"]["device.gpu0.driver"] = "590.1";
  other["context"].erase("kokkos");
  const Finished finished = compare(first_run + " " + std::string(File("other.json", other)));
  const std::string line = line_with(finished, "The runs differ");
  const std::string driver = read(first_run)["context"]["device.gpu0.driver"];
  for (const std::string& part :
       {std::string("seed (1 → 2)"), "device.gpu0.driver (" + driver + " → 590.1)", std::string("→ unknown)")})
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  EXPECT_EQ(line.find("date"), std::string::npos) << line;
}

TEST(CompareRuns, SaysFirstThatDevicesDiffer) {
  EXPECT_FALSE(says(compare(first_run + " " + second_run), "Different devices"));
  const std::string own = read(first_run)["benchmarks"][0]["device"];
  const File other("other_device.json", changed(first_run, [](Json& row) { row["device"] = "another"; }));
  const std::string both = first_run + " " + std::string(other);
  EXPECT_EQ(line_with(compare(both), "Different devices"),
            "Different devices: " + own + " → another. Verdicts compare the devices, not versions of the program.");
  EXPECT_TRUE(says(compare("--format md " + both), "Different devices"));
  const File slow("slow_device.json", changed(other, slowed(1.5)));
  EXPECT_EQ(compare(first_run + " " + std::string(slow)).exit_code, 1) << "a row is slower, whatever it ran on";
}

TEST(CompareRuns, MakesMarkdownInAFile) {
  const File slow("markdown_slow.json", changed(first_run, only(float4, slowed(1.03)))), page("page.md", "");
  const Finished finished = compare("--format md -o " + std::string(page) + " " + first_run + " " + std::string(slow));
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(finished.output, "bench: wrote " + std::string(page) + "\n");
  std::ifstream file(page);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("| slower | 0.971 [0.9"), std::string::npos) << text;
  EXPECT_NE(text.find("|---|--:|"), std::string::npos) << text;
  EXPECT_EQ(compare("-o /no/such/folder/page.md " + first_run + " " + second_run).exit_code, 2);
}

TEST(CompareRuns, HasAMeanForEachExperimentAndOneOverAll) {
  const auto renamed = [](double factor) {  // the rows of CUDA become another experiment's, and slower
    return changed(first_run, [=](Json& row) {
      if (row["backend"] != "cuda") return;
      row["experiment"] = "another_sum";
      for (const char* field : {"rung", "name"})
        row[field] = "cuda/another_sum" + row[field].get<std::string>().substr(sizeof "cuda/reduce_sum" - 1);
      slowed(factor)(row);
    });
  };
  const File before("renamed.json", renamed(1)), after("renamed_slow.json", renamed(2));
  const Finished finished = compare(std::string(before) + " " + std::string(after));
  EXPECT_TRUE(line_with(finished, "reduce_sum  ").ends_with("1.000")) << finished.output;
  EXPECT_TRUE(line_with(finished, "another_sum  ").ends_with("0.500")) << finished.output;
  const std::string line = line_with(finished, "overall  ");
  const double overall = std::stod(line.substr(line.rfind(' ')));
  EXPECT_TRUE(overall > 0.55 && overall < 0.85) << finished.output;
  EXPECT_FALSE(says(compare(first_run + " " + second_run), "overall"));  // of one experiment
}

TEST(CompareInput, ThatIsNoResultFileIsRefusedInOneLine) {
  Json uneven = read(first_run);
  uneven["benchmarks"][0]["samples_by_placement"] = {1, 2};
  Json lacks = read(first_run);
  lacks["benchmarks"][0].erase("sample_times");
  Json nothing = read(first_run);
  nothing["benchmarks"] = Json::array();
  const File files[] = {{"text.json", "some text\n"},
                        {"empty.json", ""},
                        {"array.json", Json::array()},
                        {"other.json", Json{{"a", 1}}},
                        {"uneven.json", uneven},
                        {"lacks.json", lacks},
                        {"cut.json", read(first_run).dump().substr(0, 1000)}};
  for (const std::string& file : files)
    for (const std::string& arguments :
         {first_run + " " + file, file + " " + first_run, "--backends cuda,kokkos " + file}) {
      const Finished finished = compare(arguments);
      EXPECT_EQ(finished.exit_code, 2) << arguments;
      EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
      EXPECT_TRUE(says(finished, file + ": not a result file of bench --json: ")) << finished.output;
      EXPECT_FALSE(says(finished, "json.exception")) << finished.output;
    }
  const Finished none = compare(first_run + " " + std::string(File("nothing.json", nothing)));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(says(none, "no cell in common")) << none.output;
}

/// The fastest row of a backend at each point, its library left out, by the size.
std::map<std::int64_t, Json> fastest_of(const std::string& backend) {
  std::map<std::int64_t, Json> fastest;
  const Json results = read(first_run);
  for (const Json& row : results["benchmarks"]) {
    if (row["backend"] != backend || row["library"] || row["status"] != "ok") continue;
    const auto [place, is_new] = fastest.try_emplace(row["axes"]["n"].get<std::int64_t>(), row);
    if (!is_new && row["real_time"] < place->second["real_time"]) place->second = row;
  }
  return fastest;
}

TEST(CompareBackends, ShowsTheGapThatTheRunItselfMeasured) {
  const Finished finished = compare("--backends cuda,kokkos " + first_run);
  EXPECT_EQ(finished.exit_code, 0);
  const auto kokkos = fastest_of("kokkos"), cuda = fastest_of("cuda");
  for (const auto& [n, row] : kokkos) {
    const Json& gap = row["over_other"];  // the time of CUDA's fastest over its own
    char ratio[64];
    std::snprintf(ratio, sizeof ratio, "%.3f [%.3f, %.3f]", gap["value"].get<double>(), gap["low"].get<double>(),
                  gap["high"].get<double>());
    const std::string line = line_with(finished, "n:" + std::to_string(n) + "/");
    for (const std::string& part : {std::string(ratio), "  kokkos/" + row["variant"].get<std::string>() + "  ",
                                    "  cuda/" + cuda.at(n)["variant"].get<std::string>() + "  "})
      EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
  const std::string points = std::to_string(kokkos.size());
  EXPECT_TRUE(says(finished, "Compared at " + points + " of " + points + " points, ")) << finished.output;
}

TEST(CompareBackends, TakesRungsByName) {
  Json json = read(first_run);
  const auto facts = [](int registers, double occupancy) {
    return [=](Json& row) {
      row["registers"] = registers, row["occupancy"] = occupancy, row["blocks"] = nullptr;
      row["shared_bytes"] = 64, row["threads_per_block"] = 512;
    };
  };
  for (Json& row : json["benchmarks"]) {
    only(float4, facts(30, 1))(row);
    only("cuda/reduce_sum/cub/n:268435456/type:f32/cold", facts(60, 0.75))(row);
  }
  const Finished finished = compare("--backends cuda/float4,cuda/cub " + std::string(File("facts.json", json)));
  const std::string line = line_with(finished, "n:268435456/");
  EXPECT_NE(line.find("cuda/float4  "), std::string::npos) << line;
  EXPECT_NE(line.find("cuda/cub  "), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with("]  registers 30 → 60, occupancy 1 → 0.75")) << line;
}

TEST(CompareBackends, ShowsEveryRungWhereAskedForAll) {
  const Finished best = compare("--backends kokkos,cuda " + first_run);
  const Finished all = compare("--all --backends kokkos,cuda " + first_run);
  std::size_t others = 0;
  const Json results = read(first_run);
  for (const Json& row : results["benchmarks"]) others += row["backend"] == "cuda" && !row["library"];
  others -= fastest_of("cuda").size();
  EXPECT_EQ(lines_in(all.output) - lines_in(best.output), others);
  EXPECT_EQ(all.output.find("cuda/cub"), std::string::npos);
  const auto mean = [](const Finished& finished) { return line_with(finished, "reduce_sum  "); };
  EXPECT_FALSE(mean(best).empty()) << best.output;
  EXPECT_EQ(mean(best), mean(all));
}

TEST(CompareBackends, ShowsTheCountersThatDifferMost) {
  const std::string range = "kokkos/reduce_sum/range/n:1024/type:f32/cold",
                    last_block = "cuda/reduce_sum/last_block/n:1024/type:f32/cold";
  const auto with = [](const Json& counters) { return [=](Json& row) { row["counters"] = counters; }; };
  Json json = changed(first_run, only(last_block, with({{"duration", 1e3},
                                                        {"instructions", 1e6},
                                                        {"l1_hit_rate", 50},
                                                        {"dram_throughput", 91},
                                                        {"dram_bytes_read", 1e9},
                                                        {"cycles_per_issue", 100},
                                                        {"stall_wait", 1},
                                                        {"stall_long_scoreboard", 90},
                                                        {"bank_conflicts", 10},
                                                        {"l2_reductions", 5e3},
                                                        {"l2_hit_rate", nullptr},
                                                        {"waves", 1}})));
  for (Json& row : json["benchmarks"])
    only(range, with({{"duration", 9e3},
                      {"instructions", 1e6},
                      {"l1_hit_rate", 52},
                      {"dram_throughput", 40},
                      {"dram_bytes_read", 1e9},
                      {"cycles_per_issue", 50},
                      {"stall_wait", 2},
                      {"stall_long_scoreboard", 20},
                      {"bank_conflicts", 100},
                      {"l2_reductions", 0},
                      {"l2_hit_rate", 1},
                      {"waves", nullptr}}))(row);
  const Finished finished =
      compare("--backends cuda/last_block,kokkos/range " + std::string(File("counters.json", json)));
  EXPECT_NE(
      line_with(finished, "n:1024/")
          .find("stall_long_scoreboard 90 → 20, dram_throughput 91 → 40, l2_reductions 5000 → 0, cycles_per_issue "
                "100 → 50"),
      std::string::npos)
      << finished.output;
  // The time itself; what is the same; what is little of the whole, though ten times as much; what only one has.
  for (const char* no : {"duration", "instructions", "l1_hit", "stall_wait", "bank_", "l2_hit", "waves"})
    EXPECT_FALSE(says(finished, no)) << finished.output;
}

TEST(CompareBackends, ComparesOnlyWhatRanOnOneDevice) {
  const auto elsewhere = [](Json& row) {
    if (row["backend"] == "kokkos" && row["axes"]["n"] > 1024) row["device"] = "another";
  };
  const Finished some =
      compare("--backends cuda,kokkos " + std::string(File("some.json", changed(first_run, elsewhere))));
  EXPECT_EQ(some.exit_code, 0);
  const std::size_t points = fastest_of("cuda").size();
  EXPECT_TRUE(says(some, "Compared at 1 of " + std::to_string(2 * points - 1) + " points, ")) << some.output;
  const auto nowhere = [](Json& row) {
    if (row["backend"] == "kokkos") row["device"] = "another";
  };
  const Finished none =
      compare("--backends cuda,kokkos " + std::string(File("none.json", changed(first_run, nowhere))));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(says(none, "on one device")) << none.output;
}

TEST(CompareBackends, KnowsThoseOfTheFile) {
  for (const auto& [typed, meant] : {std::pair{"cuda,kokos", "kokkos"}, {"cuda/flaot4,kokkos", "cuda/float4"}}) {
    const Finished finished = compare("--backends " + std::string(typed) + " " + first_run);
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_TRUE(says(finished, "did you mean '" + std::string(meant) + "'")) << finished.output;
    EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
  }
}

}  // namespace
}  // namespace crosswarp
