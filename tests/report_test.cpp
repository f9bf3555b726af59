// `bench report` as a user meets it: what is in the page, what it makes of hostile, old and incomplete files, and what
// it says where something is missing. Whether a browser shows it is scripts/check-report's.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "core/fields.hpp"
#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double largest_page = 12e6, packaged_plotly = 8.7e6;  // bytes

std::string results(const std::string& name) {
  return (source_tree() / "results/nvidia-h200" / (name + ".json")).string();
}

/// A run of three backends on a GPU.
std::string fixture(const std::string& name) { return (source_tree() / "tests/data" / (name + ".json")).string(); }

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A file for the time of a test.
class File {
 public:
  File(const std::string& name, const std::string& content) : path_(temporary_file(name)) {
    std::ofstream(path_) << content;
  }
  File(const std::string& name, const Json& content) : File(name, content.dump()) {}
  ~File() { fs::remove(path_); }
  operator const std::string&() const { return path_; }

 private:
  std::string path_;
};

Finished report(const std::string& arguments) { return run_process(sibling("bench") + " report " + arguments); }

/// A page with `plotly` in the place of the library, which takes no part in what is tested here.
std::string page(const std::string& inputs, const std::string& plotly = "Plotly = {};") {
  const File library("plotly.js", plotly), html("page.html", std::string());
  const Finished finished = run_process("CROSSWARP_PLOTLY=" + std::string(library) + " " + sibling("bench") +
                                        " report " + inputs + " -o " + std::string(html));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_EQ(finished.output, "bench: wrote " + std::string(html) + "\n");
  return read(html);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What the page's script reads.
class Data {
 public:
  explicit Data(const std::string& page) {
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const auto from = page.find(open) + open.size();
    json_ = Json::parse(page.substr(from, page.find("</script>", from) - from));
    for (const Json& column : json_["columns"]) columns_.push_back(column);
  }
  const Json& operator[](const char* key) const { return json_.at(key); }
  std::size_t cells() const { return json_.at("cells").size(); }
  /// A cell's value; of a text, its index in the table of texts.
  Json value(std::size_t cell, const std::string& column) const {
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    return json_.at("cells")[cell].at(static_cast<std::size_t>(found - columns_.begin()));
  }
  std::string text(std::size_t cell, const std::string& column) const { return text_at(value(cell, column)); }
  /// A cell's text in the ladder's column below `head`.
  std::string ladder(std::size_t cell, const std::string& head) const {
    for (std::size_t i = 0; i < json_.at("ladder").size(); ++i)
      if (json_["ladder"][i]["head"] == head) return text_at(value(cell, "ladder").at(i));
    throw std::runtime_error(head);
  }
  std::string name(std::size_t cell) const {
    return json_.at("rungs")[value(cell, "rung").get<std::size_t>()]["name"].get<std::string>() + "/" +
           json_.at("points")[value(cell, "point").get<std::size_t>()]["name"].get<std::string>() + "/" +
           text(cell, "mode");
  }
  /// Of the cell's line in `portability`.
  const Json& portability(const std::string& application) const {
    for (const Json& line : json_.at("portability"))
      if (line["application"] == application) return line;
    throw std::runtime_error(application);
  }

 private:
  std::string text_at(const Json& index) const {
    return json_.at("texts").at(index.get<std::size_t>()).get<std::string>();
  }

  Json json_;
  std::vector<std::string> columns_;
};

/// A file with a context and some rows after the pattern of a real one, each changed by its function.
Json made_up(const std::vector<std::function<void(Json&)>>& rows, const std::string& date = "2026-01-01") {
  const Json real = Json::parse(read(fixture("counters")));
  Json file{{"context", real["context"]}, {"benchmarks", Json::array()}, {"findings", Json::array()}};
  file["context"]["date"] = date;
  for (const auto& change : rows) {
    Json row = real["benchmarks"][0];
    row["over_parent"] = row["over_library"] = row["over_other"] = nullptr;
    change(row);
    file["benchmarks"].push_back(row);
  }
  return file;
}

std::function<void(Json&)> rung(const std::string& backend, const std::string& device, double nanoseconds) {
  return [=](Json& row) {
    row["backend"] = backend;
    row["variant"] = "idea";
    row["tuning"] = "";
    row["device"] = device;
    row["rung"] = backend + "/reduce_sum/idea";
    row["name"] = backend + "/reduce_sum/idea/n:67108864/type:f32/cold";
    row["real_time"] = nanoseconds;
    row["sample_times"] = {nanoseconds, nanoseconds};
    row["samples_by_placement"] = {1, 1};
  };
}

std::function<void(Json&)> skipped(const std::string& backend, const std::string& device, const std::string& note) {
  return [=](Json& row) {
    rung(backend, device, 0)(row);
    row["status"] = "skipped";
    row["note"] = note;
    row["real_time"] = nullptr;
    row["sample_times"] = row["samples_by_placement"] = Json::array();
  };
}

TEST(ReportPage, HasEveryCellWithItsNumbersAndReasons) {
  const Data data(page(results("peak_compute") + " " + fixture("counters")));
  std::set<std::string> shown;
  for (std::size_t i = 0; i < data.cells(); ++i) shown.insert(data.name(i));
  std::size_t skips = 0;
  for (const std::string& file : {results("peak_compute"), fixture("counters")}) {
    const Json real = Json::parse(whole_results(file));
    for (const Json& row : real["benchmarks"]) {
      EXPECT_TRUE(shown.contains(row["name"])) << row["name"];
      skips += row["status"] == "skipped";
    }
  }
  for (std::size_t i = 0; i < data.cells(); ++i) {
    const bool ok = data.text(i, "status") == "ok";
    EXPECT_EQ(data.value(i, "real_time").is_number(), ok) << data.name(i);
    EXPECT_EQ(data.text(i, "note").starts_with("not expressible: "), !ok) << data.name(i);
    skips -= !ok;
  }
  EXPECT_EQ(skips, 0u);
}

TEST(ReportPage, SaysOfEveryNumberWhereItComesFrom) {
  const Data data(page(fixture("reduce_sum_hip") + " " + fixture("counters")));
  for (std::size_t i = 0; i < data.cells(); ++i) {
    const Json& source = data["sources"].at(data.value(i, "source").get<std::size_t>());
    EXPECT_TRUE(source["file"] == "reduce_sum_hip.json" || source["file"] == "counters.json");
    EXPECT_EQ(source["context"]["commit"].get<std::string>().size(), 12u);
    EXPECT_TRUE(source["context"].contains("seed"));
  }
}

TEST(ReportPage, TakesOfACellThatSeveralFilesHaveTheNewest) {
  const File before("before.json", made_up({rung("cuda", "X", 100)}, "2026-01-01")),
      after("after.json", made_up({rung("cuda", "X", 200)}, "2026-02-01"));
  for (const std::string& inputs :
       {std::string(before) + " " + std::string(after), std::string(after) + " " + std::string(before)}) {
    const Data data(page(inputs));
    ASSERT_EQ(data.cells(), 1u);
    EXPECT_DOUBLE_EQ(data.value(0, "real_time").get<double>(), 200);
  }
}

TEST(ReportPage, FetchesNothing) {
  const std::string html = page(fixture("reduce_sum_hip"));
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* way : {" src=", "<link", "@import", "http://", "https://", "url("})
    EXPECT_EQ(html.find(way), std::string::npos) << way;
}

TEST(ReportPage, TakesTextsForTextsWhateverTheySay) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \" ' & \xff {{plotly.js}}";
  const File file("hostile.json", made_up({[&](Json& row) {
                                             rung("cuda", "device", 100)(row);
                                             row["idea"] = row["device"] =
                                                 "</script><script>alert(1)</script><!-- {{plotly.js}}";
                                           },
                                           skipped("hip", "device", "not expressible: </script>")}));
  const std::string html = page(file, "Plotly = '" + hostile + "';");
  EXPECT_EQ(count(html, "</script>"), 3u);  // the data's, plotly's and the page's own
  EXPECT_EQ(count(html, "<!--"), 2u);       // the page's own comment, and in a string of plotly's
  const Data data(html);
  EXPECT_EQ(data["rungs"][0]["idea"], "</script><script>alert(1)</script><!-- {{plotly.js}}");
}

TEST(ReportPage, Of3000CellsIsUnder12Megabytes) {
  std::vector<std::function<void(Json&)>> rows;
  for (int i = 0; i < 3000; ++i)
    rows.push_back([i](Json& row) {
      rung("cuda", "X", 100.123 + i)(row);
      const std::string variant = "variant_" + std::to_string(i % 100), n = std::to_string(1 << i / 100 % 30);
      row["variant"] = variant;
      row["rung"] = "cuda/reduce_sum/" + variant;
      row["name"] = "cuda/reduce_sum/" + variant + "/n:" + n + "/type:f32/cold";
      row["axes"]["n"] = 1 << i / 100 % 30;
      for (auto& [name, value] : row["counters"].items())
        if (value.is_number()) value = value.get<double>() * (1 + 0.001 * i);
    });
  const File file("large.json", made_up(rows));
  const std::string html = page(file);
  EXPECT_EQ(Data(html).cells(), 3000u);
  EXPECT_LT(static_cast<double>(html.size()), largest_page - packaged_plotly);
}

/// `bench compare --backends` has the inverse: the other backend over the first.
TEST(ReportPage, SetsBackendsAgainstEachOtherAsCompareDoes) {
  const Data data(page(fixture("reduce_sum_hip")));
  const std::string compared =
      run_process(sibling("bench") + " compare --backends cuda,kokkos " + fixture("reduce_sum_hip")).output;
  std::size_t pairs = 0;
  for (const Json& verdict : data["verdicts"]) {
    const Json* kokkos = nullptr;
    for (const Json& other : verdict["others"])
      if (data.name(other["cell"]).starts_with("kokkos")) kokkos = &other;
    ASSERT_TRUE(kokkos);
    ++pairs;
    EXPECT_TRUE(data.name(verdict["best"]).starts_with("cuda"));
    EXPECT_TRUE((*kokkos)["paired"].get<bool>());
    const std::string other = data.name((*kokkos)["cell"]), n = other.substr(other.find("/n:") + 1);
    const std::regex line("\n" + n.substr(0, n.find('/')) + "/.* ([0-9.]+) \\[([0-9.]+), ([0-9.]+)\\]");
    std::smatch said;
    if (!std::regex_search(compared, said, line)) continue;  // one placement only has no interval
    EXPECT_NEAR((*kokkos)["ratio"][0].get<double>() * std::stod(said[1]), 1, 0.005) << other;
  }
  EXPECT_EQ(pairs, 11u);
}

TEST(ReportPage, HasPennycooksHarmonicMeanOverDevices) {
  const File first("first.json", made_up({rung("cuda", "A", 100), rung("kokkos", "A", 200), rung("hip", "A", 400)})),
      second("second.json", made_up({skipped("cuda", "B", "why"), rung("kokkos", "B", 300), rung("hip", "B", 300)}));
  const Data data(page(std::string(first) + " " + std::string(second)));
  const Json kokkos = data.portability("kokkos"), cuda = data.portability("cuda"), hip = data.portability("hip");
  const auto of_best = [](const Json& line, std::size_t device) {
    return line["devices"][device]["of_best"][0].get<double>();
  };
  EXPECT_DOUBLE_EQ(of_best(kokkos, 0), 0.5);
  EXPECT_DOUBLE_EQ(of_best(kokkos, 1), 1);
  EXPECT_EQ(kokkos["devices"][0]["of_best"][1], "50.0 %");
  EXPECT_EQ(kokkos["of_best"], "66.7 % [66.7 %, 66.7 %]");  // 2 / (1 / 0.5 + 1)
  EXPECT_EQ(hip["of_best"], "40.0 % [40.0 %, 40.0 %]");
  EXPECT_EQ(cuda["of_best"], "0.0 % [0.0 %, 0.0 %]");
  EXPECT_EQ(data.portability("kokkos/reduce_sum/idea")["of_best"], kokkos["of_best"]);
}

TEST(ReportPage, TellsAtHowManyPointsAnEfficiencyIsTaken) {
  const auto at = [](int n, const std::function<void(Json&)>& row) {
    return [n, row](Json& json) {
      row(json);
      json["axes"]["n"] = n;
      json["name"] = json["rung"].get<std::string>() + "/n:" + std::to_string(n) + "/type:f32/cold";
    };
  };
  const File file("two_points.json",
                  made_up({at(1024, rung("cuda", "A", 100)), at(2048, rung("cuda", "A", 100)),
                           at(1024, rung("kokkos", "A", 200)), at(2048, skipped("kokkos", "A", "not expressible"))}));
  const Data data(page(file));
  const Json on_device = data.portability("kokkos")["devices"][0];
  EXPECT_DOUBLE_EQ(on_device["of_best"][0].get<double>(), 0.5);
  EXPECT_EQ(on_device["of_best"][1], "50.0 % (1 of 2)");
  EXPECT_EQ(data.portability("cuda")["devices"][0]["of_best"][1], "100.0 %");
}

TEST(ReportPage, HasNoMeanOverOneDevice) {
  const Data data(page(fixture("reduce_sum_hip")));
  EXPECT_NEAR(data.portability("cuda")["devices"][0]["of_best"][0].get<double>(), 1, 0.02);
  EXPECT_EQ(data.portability("cuda")["of_best"], "");
}

TEST(Report, HasEnergyWhereItWasMeasured) {
  const auto with_energy = [](Json& row) {
    rung("cuda", "X", 100)(row);
    row["flops"] = 3e9;
    row["energy"] = {{"joules", 0.5},  {"watts", 650},      {"idle_watts", 90},       {"seconds", 2.0},
                     {"launches", 10}, {"clock_mhz", 1700}, {"throttle", "power cap"}};
    row["throttle"] = "power cap";
  };
  const File file("energy.json", made_up({with_energy, rung("kokkos", "X", 200)}));
  const std::string markdown = report("--format md " + std::string(file)).output;
  for (const char* part : {"| energy |", "| FLOP/J |", "500 mJ", "650 W", "6.00 GFLOP/J"})
    EXPECT_NE(markdown.find(part), std::string::npos) << part << "\n" << markdown;
  const std::string without = report("--without-throttled --format md " + std::string(file)).output;
  EXPECT_EQ(without.find("cuda/reduce_sum"), std::string::npos) << without;
  EXPECT_NE(without.find("kokkos/reduce_sum"), std::string::npos) << without;
  EXPECT_EQ(without.find("| energy |"), std::string::npos) << without;
}

TEST(ReportPage, DrawsTheLevelsThatFindingsTellOf) {
  const Data data(page(results("memory_latency")));
  std::size_t levels = 0, told = 0;
  for (const Json& finding : data["findings"]) {
    levels += finding["levels"].size();
    for (const std::string line : finding["lines"]) told += count(line, ": level ");
    const Json& first = finding["levels"][0];
    EXPECT_EQ(first["rung"], "cuda/memory_latency/chase");
    EXPECT_EQ(first["space"], "global");
    EXPECT_EQ(first["stride"], 64);
    EXPECT_NEAR(first["seconds"].get<double>(), 16.3e-9, 0.05e-9);
    EXPECT_EQ(first["first"], 4096);
    EXPECT_EQ(first["last"], 208 << 10);
  }
  EXPECT_GT(levels, 0u);
  EXPECT_EQ(levels, told);
}

TEST(ReportPage, IsMadeOfFilesThatLackSomething) {
  EXPECT_EQ(Data(page(fixture("reduce_sum_hip"))).cells(), 165u);  // no bounds, no counters, no findings
  const File empty("empty.json", made_up({})), no_numbers("no_numbers.json", made_up({skipped("hip", "X", "why")}));
  EXPECT_EQ(Data(page(empty)).cells(), 0u);
  EXPECT_EQ(Data(page(no_numbers)).text(0, "note"), "why");
}

TEST(Report, ConcludesAgainWhereItKnowsTheExperiment) {
  Json file = Json::parse(whole_results(results("op_latency")));
  const Json older = {{"kind", "cost"},
                      {"text", "an older program measured {time}"},
                      {"values", {{"time", {{"value", 2e-9}, {"unit", "s"}}}}}};
  const Json& row = file["benchmarks"][0];
  file["findings"] = Json::array();
  for (const char* experiment : {"op_latency", "their_own"})
    file["findings"].push_back({{"experiment", experiment},
                                {"mode", row["mode"]},
                                {"device", row["device"]},
                                {"findings", Json::array({older})}});
  const Finished finished = report("--format findings " + std::string(File("findings.json", file)));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_EQ(count(finished.output, "an older program measured 2.00 ns"), 1u) << finished.output;
  EXPECT_EQ(count(finished.output, "- fma_f32: 4.1 cycles by cuda/op_latency/dependent_chain"), 1u) << finished.output;
}

/// As `row`, by graph: its name and what it took.
std::function<void(Json&)> by_graph(std::function<void(Json&)> row, double nanoseconds) {
  return [=](Json& json) {
    row(json);
    json["launch_by"] = "graph";
    json["name"] = json["name"].get<std::string>() + "/graph";
    json["real_time"] = nanoseconds;
    json["sample_times"] = {nanoseconds, nanoseconds};
  };
}

TEST(Report, KeepsStreamsAndGraphsApartAndShowsBoth) {
  const auto row = rung("cuda", "GPU", 4000);
  const File both("both.json", made_up({row, by_graph(row, 3000), rung("kokkos", "GPU", 5000)}));
  const std::string markdown = report(both).output;
  EXPECT_NE(markdown.find("cold, by stream:"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("cold, by graph:"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("| time by graph |"), std::string::npos) << markdown;
  EXPECT_EQ(count(markdown, "| 3.00 µs |"), 2u) << markdown;  // beside the stream's, and in a table of its own
  const Data data(page(both));
  ASSERT_EQ(data.cells(), 3u);
  EXPECT_EQ(data.text(1, "mode"), "cold/graph");
  ASSERT_EQ(data["verdicts"].size(), 2u);  // by stream, where CUDA has Kokkos beside it, and by graph
  EXPECT_EQ(data["verdicts"][0]["best"], 0);
  EXPECT_EQ(data["verdicts"][0]["others"].size(), 1u);
  EXPECT_TRUE(data["verdicts"][1]["others"].empty());
  const File stream("stream.json", made_up({row})), graph("graph.json", made_up({by_graph(row, 3000)}));
  EXPECT_EQ(report(stream).output.find("by graph"), std::string::npos);
  const Finished compared =
      run_process(sibling("bench") + " compare " + std::string(stream) + " " + std::string(graph));
  EXPECT_EQ(compared.exit_code, 2);
  EXPECT_NE(compared.output.find("no cell in common"), std::string::npos) << compared.output;
}

TEST(Report, ShowsErrorsWhereTheyWereMeasured) {
  const auto row = rung("cuda", "GPU", 4000);
  const auto with_errors = [&](Json& json) {
    rung("kokkos", "GPU", 5000)(json);
    json["accuracy"]["uniform"] = {
        {"outputs", 8}, {"ulp_median", 0.25}, {"ulp_max", 1.5}, {"relative_median", 1e-8}, {"relative_max", 9e-8}};
    json["accuracy"]["positive"] = {
        {"outputs", 8}, {"ulp_median", 3}, {"ulp_max", nullptr}, {"relative_median", 1e-8}, {"relative_max", nullptr}};
  };
  const File plain("plain.json", made_up({row})), file("errors.json", made_up({row, with_errors}));
  EXPECT_EQ(report(plain).output.find("ulps"), std::string::npos);
  const std::string markdown = report(file).output;
  for (const char* part : {"| ulps, uniform | ulps, positive |", "| 0.25 / 1.5 | 3 / inf |"})
    EXPECT_NE(markdown.find(part), std::string::npos) << part << " in\n" << markdown;
  const Data data(page(file));
  EXPECT_EQ(data.ladder(0, "ulps, uniform"), "");
  EXPECT_EQ(data.ladder(1, "ulps, uniform"), "0.25 / 1.5");
  EXPECT_EQ(data.ladder(1, "ulps, positive"), "3 / inf");
}

TEST(Report, ChoosesExperimentsAndBackends) {
  const Data data(
      page("--experiment reduce_sum --backend cuda,hip " + fixture("reduce_sum_hip") + " " + results("op_latency")));
  EXPECT_EQ(data.cells(), 132u);
  const std::string markdown = report("--backend kokkos " + fixture("reduce_sum_hip")).output;
  EXPECT_NE(markdown.find("`kokkos/reduce_sum/team`"), std::string::npos);
  EXPECT_EQ(markdown.find("`cuda/"), std::string::npos);
}

TEST(Report, TakesItsFormatFromTheOutputsName) {
  const File named("tables.md", std::string()), other("tables.txt", std::string());
  const std::string tables = report(results("op_latency")).output;
  for (const std::string& path : {std::string(named), std::string(other)}) {
    EXPECT_EQ(report(results("op_latency") + " -o " + path).exit_code, 0);
    EXPECT_EQ(read(path), tables);
  }
  EXPECT_EQ(report("--format md " + results("op_latency")).output, tables);
}

/// The figure of a file.
std::string drawing(const std::string& input) {
  const File svg("drawing.svg", std::string());
  const Finished finished = report(input + " -o " + std::string(svg));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  return read(svg);
}

TEST(Report, DrawsTheFastestVariantsOverRanksBesideTheLibrary) {
  const std::string drawn = drawing((source_tree() / "results/nvidia-h100-x2/all_reduce.json").string());
  EXPECT_NE(drawn.find("speed relative to the library at each n"), drawn.npos) << drawn;
  // The lines, each by its label: fastest for short and for long arrays, and the library.
  for (const char* rung : {"cuda/one_shot_ll", "cuda/ring", "cuda/nccl"})
    EXPECT_NE(drawn.find(std::string("class=\"end\">") + rung), drawn.npos) << rung << drawn;
  EXPECT_EQ(drawn.find("class=\"end\">cuda/two_shot"), drawn.npos) << "is never the fastest";
}

/// Lines for a terminal or a page hold no terminal's command and no markup of the file.
TEST(Report, PrintsTextsOfFilesAsTexts) {
  const std::string hostile = "a \033]0;title\007 | <img src=x> \n ![x](http://y)";
  const auto everywhere = [&](Json& row) {
    rung("cuda", hostile, 100)(row);
    row["idea"] = hostile;
    row["variant"] = hostile;
    row["rung"] = "cuda/reduce_sum/" + hostile;
    row["name"] = "cuda/reduce_sum/" + hostile + "/n:1/type:" + hostile + "/cold";
    row["axes"] = {{"n", 1}, {"type", hostile}};
    row["observed"] = {{hostile, 1}};
    row["observed_units"] = {{hostile, hostile}};
  };
  Json file = made_up({everywhere});
  file["context"]["commit"] = hostile;
  const File one("hostile_one.json", file), two("hostile_two.json", file);
  for (const std::string& command :
       {"report " + std::string(one), "compare --all " + std::string(one) + " " + std::string(two),
        "compare --all --format md " + std::string(one) + " " + std::string(two),
        "report --experiment '" + hostile + "' " + std::string(one)}) {
    const std::string output = run_process(sibling("bench") + " " + command).output;
    EXPECT_EQ(output.find_first_of("\033\007\r"), output.npos) << output;
    EXPECT_NE(output.find("a"), output.npos);
  }
  const std::string markdown = std::regex_replace(report(one).output, std::regex("`[^`]*`"), "code");
  EXPECT_EQ(count(markdown, " <img") + count(markdown, "](http"), 0u) << markdown;
}

/// U+202E turns the text behind it, U+009B begins a terminal's command, U+200B is invisible, U+2028 ends a line.
TEST(Report, NeutralisesControlAndBidirectionalCharacters) {
  const std::vector<std::string> characters{"\u202e", "\u009b", "\u200b", "\u2028", "\u2066", "\ufeff", "\u0085"};
  std::string hostile = "a";
  for (const std::string& character : characters) hostile += character + "b";
  const auto everywhere = [&](Json& row) {
    rung("cuda", hostile, 100)(row);
    row["idea"] = row["bound_by"] = row["bound"] = row["variant"] = row["improves"] = row["ceiling"] = hostile;
    row["rung"] = "cuda/reduce_sum/" + hostile;
    row["name"] = "cuda/reduce_sum/" + hostile + "/n:1/type:" + hostile + "/cold";
    row["axes"] = {{"n", 1}, {"type", hostile}};
    row["observed"] = {{hostile, 1}};
    row["observed_units"] = {{hostile, hostile}};
  };
  const auto not_run = [&](Json& row) { skipped("hip", hostile, hostile)(row); };
  Json file = made_up({everywhere, not_run});
  for (auto& [key, value] : file["context"].items()) value = hostile;
  file["context"]["device.gpu0." + hostile] = hostile;
  const File input("hostile_characters.json", file);
  const auto has_none = [&](const std::string& text, const char* format) {
    EXPECT_NE(text.find("\ufffd"), text.npos) << format;
    for (const std::string& character : characters)
      EXPECT_EQ(text.find(character), text.npos) << format << " has a raw " << Json(character).dump(-1, ' ', true);
  };
  has_none(page(input), "html");
  has_none(report(input).output, "md");
  has_none(drawing("--backend cuda " + std::string(input)), "svg");
}

TEST(Report, RunsNoPythonOfTheCurrentFolder) {
  const std::string folder = temporary_file("python_path"), harm = folder + "/harm";
  fs::create_directories(folder + "/plotly/package_data");
  for (const char* module : {"contextlib.py", "site.py", "importlib.py", "plotly/__init__.py"})
    std::ofstream(folder + "/" + module) << "open('" << harm << "', 'w')\n";
  std::ofstream(folder + "/plotly/package_data/plotly.min.js") << "Plotly = 'theirs';";
  const Finished finished = run_process("cd " + folder + "; unset CROSSWARP_PLOTLY; PYTHONPATH=" + folder + " " +
                                        sibling("bench") + " report --format html " + fixture("reduce_sum_hip"));
  EXPECT_FALSE(fs::exists(harm));
  EXPECT_EQ(finished.output.find("'theirs'"), finished.output.npos);
  fs::remove_all(folder);
}

std::function<void(Json&)> step(const std::string& variant, const std::string& improves, double nanoseconds) {
  return [=](Json& row) {
    rung("cuda", "X", nanoseconds)(row);
    row["variant"] = variant;
    row["rung"] = "cuda/reduce_sum/" + variant;
    row["improves"] = improves.empty() ? Json(nullptr) : Json(improves);
    row["name"] = "cuda/reduce_sum/" + variant + "/n:67108864/type:f32/cold";
    if (!improves.empty()) row["over_parent"] = {{"value", 2}, {"low", 1.9}, {"high", 2.1}};
  };
}

TEST(Report, KeepsTheLaddersOrderOverSeveralFiles) {
  const File newer("newer.json", made_up({step("third", "second", 30)}, "2026-02-01")),
      older("older.json", made_up({step("first", "", 100), step("second", "first", 60), step("third", "second", 40)})),
      other("other.json", made_up({step("second", "first", 50)}, "2026-01-15"));
  const std::string markdown = report(std::string(newer) + " " + std::string(other) + " " + std::string(older)).output;
  const auto at = [&](const std::string& text) { return markdown.find(text); };
  EXPECT_LT(at("/first`"), at("/second`")) << markdown;
  EXPECT_LT(at("/second`"), at("/third`")) << markdown;
  for (const char* once : {"/first`", "/second`", "/third`"}) EXPECT_EQ(count(markdown, once), 1u) << markdown;
  for (const char* newest : {"100 ns", "50.0 ns", "30.0 ns"}) EXPECT_EQ(count(markdown, newest), 1u) << markdown;
  EXPECT_EQ(count(markdown, "2.00 (first)"), 1u) << markdown;
  const Data data(page(std::string(newer) + " " + std::string(other) + " " + std::string(older)));
  ASSERT_EQ(data.cells(), 3u);
  EXPECT_TRUE(data.name(0).find("/first/") != std::string::npos && data.name(2).find("/third/") != std::string::npos);
}

/// A recorded ratio is to a row of its own file, which a newer file may have replaced.
TEST(ReportPage, HasRatiosOfTheTimesThatItShows) {
  const File older("older.json",
                   made_up({step("first", "", 100), step("second", "first", 50), rung("kokkos", "X", 75)})),
      newer("newer.json", made_up({step("first", "", 80)}, "2026-02-01"));
  const Data data(page(std::string(older) + " " + std::string(newer)));
  ASSERT_EQ(data["verdicts"].size(), 1u);
  const Json& verdict = data["verdicts"][0];
  EXPECT_TRUE(verdict["is_headline"].get<bool>());
  EXPECT_TRUE(data.name(verdict["best"]).starts_with("cuda/reduce_sum/second/"));
  ASSERT_EQ(verdict["ladder"].size(), 2u);
  EXPECT_EQ(verdict["ladder"][1]["text"], "1.60");
  EXPECT_EQ(verdict["naive"]["text"], "1.60");
  EXPECT_FALSE(verdict["naive"]["paired"].get<bool>());
  EXPECT_EQ(verdict["others"][0]["text"], "1.50");  // above 1, the handwritten variant is faster
  EXPECT_TRUE(verdict["others"][0]["paired"].get<bool>());
  EXPECT_EQ(data.ladder(verdict["best"].get<std::size_t>(), "× parent"), "1.60 (first)");
}

TEST(ReportPage, CountsWhatHasNoTime) {
  const auto wrong = [](Json& row) {
    skipped("cuda", "X", "sum is 3, should be 4")(row);
    row["status"] = "wrong";
  };
  const File file("wrong.json", made_up({wrong, skipped("kokkos", "X", "why")}));
  const Data data(page(file));
  ASSERT_EQ(data["verdicts"].size(), 1u);
  EXPECT_TRUE(data["verdicts"][0]["best"].is_null());
  EXPECT_EQ(data["verdicts"][0]["not_ok"], (Json{{"wrong", 1}, {"skipped", 1}}));
  EXPECT_EQ(data["devices"][0]["line"].get<std::string>().substr(0, 1), "X");
}

/// Without those that only some rows have.
std::set<std::string> fields_of(const Json& row) {
  std::set<std::string> names;
  for (const auto& [name, value] : row.items()) names.insert(name);
  for (const Field& field : fields())
    if (field.is_in(Field::if_known)) names.erase(std::string(field.name));
  return names;
}

TEST(CheckedInResults, HaveTheFieldsOfARun) {
  const File run("run.json", std::string());
  ASSERT_EQ(
      run_process(sibling("bench") + " -q --backend host --experiment reduce_sum --n 1000 --min-time 0.001 -f --json " +
                  std::string(run))
          .exit_code,
      0);
  const std::set<std::string> now = fields_of(Json::parse(read(run))["benchmarks"][0]);
  for (const char* folder : {"results/nvidia-h100", "results/nvidia-h200"})
    for (const auto& entry : fs::directory_iterator(source_tree() / folder)) {
      if (entry.path().extension() != ".json") continue;
      const Json file = Json::parse(whole_results(entry.path()));
      for (const Json& row : file["benchmarks"]) ASSERT_EQ(fields_of(row), now) << entry.path() << ": " << row["name"];
      for (const Json& conclusion : file["findings"]) EXPECT_FALSE(conclusion.at("findings").empty()) << entry.path();
    }
}

TEST(Report, ReadsJournals) {
  const Json whole = made_up({rung("cuda", "X", 100), rung("cuda", "X", 200)});
  std::string lines = Json{{"context", whole["context"]}}.dump() + "\n";
  for (const Json& row : whole["benchmarks"]) lines += row.dump() + "\n";  // two of one name: the later one counts
  const File journal("run.json.journal", lines + whole["benchmarks"][0].dump().substr(0, 300));
  const std::string path = journal;
  for (const std::string& name : {path, path.substr(0, path.size() - 8)}) {
    const Finished finished = report(name);
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_EQ(count(finished.output, "200 ns"), 1u) << finished.output;
    EXPECT_EQ(count(finished.output, "100 ns"), 0u) << finished.output;
  }
}

TEST(Report, NeverWritesOverItsInput) {
  const Json whole = made_up({rung("cuda", "X", 100)});
  const File file("input.json", whole);
  const std::string path = file, link = path + ".md";
  fs::create_symlink(path, link);
  for (const std::string& output : {path, link, "/tmp/../" + path}) {
    const Finished finished = report("--format md " + path + " -o " + output);
    EXPECT_EQ(finished.exit_code, 2) << output;
    EXPECT_NE(finished.output.find("is an input of this command"), std::string::npos) << finished.output;
  }
  EXPECT_EQ(Json::parse(read(path)), whole);
  fs::remove(link);
}

TEST(ReportPage, HasNoButtonThatUploads) {
  const std::string html = page(fixture("reduce_sum_hip"));
  EXPECT_NE(html.find("form-action 'none'"), std::string::npos);
  EXPECT_NE(html.find("modeBarButtons: [["), std::string::npos);  // plotly adds none to a list of one's own
  EXPECT_NE(html.find("showSendToCloud: false"), std::string::npos);
  EXPECT_NE(html.find("plotlyServerURL: ''"), std::string::npos);
}

TEST(Report, DrawsTheStepsAndEachBackend) {
  const std::string drawn = drawing(results("reduce_sum"));
  // The first rung to the fastest, the library, Kokkos's first and fastest; 31 rungs are in the file.
  for (const char* text : {"NVIDIA H200", "cuda/interleaved_modulo", "cuda/float4", "cuda/cub", "kokkos/range<",
                           "kokkos/scratch_tree", "4.59 TB/s", "measured peak", "at n = 2^30"})
    EXPECT_NE(drawn.find(text), std::string::npos) << text;
  EXPECT_EQ(count(drawn, "class=\"value\""), 11u);
  EXPECT_EQ(count(drawn, "class=\"curve\""), 5u);
  EXPECT_EQ(count(drawn, "class=\"end\""), 5u);
  EXPECT_NE(drawn.find("font-size=\"13\""), std::string::npos);
  EXPECT_NE(drawn.find("fill=\"white\""), std::string::npos) << "no background for dark pages";
}

TEST(Report, DrawsCubesOverTheirEdge) {
  const std::string drawn = drawing(results("matmul_f32"));
  EXPECT_NE(drawn.find("m = n = k"), std::string::npos);
  EXPECT_EQ(count(drawn, "class=\"end\""), 5u);
}

TEST(Report, DrawsLatenciesAsTimes) {
  const std::string drawn = drawing(results("memory_latency"));
  for (const char* text : {"Time of one operation", "100 ns", "4 GiB"})
    EXPECT_NE(drawn.find(text), std::string::npos) << text;
  EXPECT_EQ(count(drawn, "class=\"value\""), 0u) << "no bars without steps";
}

TEST(Report, PrintsTheTablesOfARun) {
  const std::string text = report("--format text " + results("reduce_sum")).output;
  EXPECT_EQ(count(text, "\nrung "), 11u) << "one table per point";
  EXPECT_EQ(count(text, "\ncuda/reduce_sum/float4 "), 11u);
}

TEST(Report, MarksSharesOfTheTheoreticalPeakWhereNoneWasMeasured) {
  const auto table = [](auto change) {
    Json run = Json::parse(whole_results(results("matmul_f64")));
    std::erase_if(run["benchmarks"].get_ref<Json::array_t&>(),
                  [](const Json& row) { return row["name"] != "cuda/matmul_f64/adaptive/m:4096/n:4096/k:4096/cold"; });
    for (Json& row : run["benchmarks"]) change(row);
    return report("--format text " + std::string(File("shares.json", run.dump()))).output;
  };
  const auto keep = [](Json&) {};
  const auto forget = [](Json& row) { row["measured_peak"] = row["of_measured_peak"] = nullptr; };
  EXPECT_EQ(count(table(keep), " % th."), 0u);
  EXPECT_EQ(count(table(forget), " % th."), 1u);
}

TEST(Report, DrawsARingOfImprovements) {
  const File file("ring.json", made_up({step("a", "b", 200), step("b", "a", 100)}));
  EXPECT_EQ(count(drawing(file), "class=\"value\""), 2u);
}

TEST(Report, DrawsNoLibrariesAlone) {
  const auto library = [](Json& row) {
    rung("cuda", "X", 100)(row);
    row["library"] = true;
  };
  const File file("libraries.json", made_up({library}));
  const Finished finished = report("--format svg " + std::string(file));
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_NE(finished.output.find("only libraries"), std::string::npos) << finished.output;
}

TEST(Report, DrawsHostileTextsAsTexts) {
  const File file("hostile.json", made_up({rung("cuda", "a ' \" <script>alert(1)</script> & ]]> \n x", 100)}));
  const std::string drawn = drawing(file);
  EXPECT_EQ(count(drawn, "<script"), 0u);
  EXPECT_NE(drawn.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(drawn.find("&amp; ]]&gt;"), std::string::npos);
}

struct Refusal {
  std::string name, arguments, says;
};

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

const File deep("deep.json", "{\"context\": " + repeated("[", 1000000));
const File deep_objects("deep_objects.json", repeated("{\"a\":", 200000));

const File not_json("not_json.json", std::string("{\n\"name\": x}\n"));
const File cut("cut_off.json", std::string("{\n\"benchmarks\": [1"));
const File damaged_journal("damaged.json.journal", std::string("{\"context\": {}}\n{} }\n{}\n"));

class ReportRefused : public testing::TestWithParam<Refusal> {};

TEST_P(ReportRefused, InOneLineWithExitCode2) {
  const Finished finished =
      run_process("CROSSWARP_PLOTLY=/no/such/plotly.js " + sibling("bench") + " report " + GetParam().arguments);
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
  EXPECT_NE(finished.output.find(GetParam().says), std::string::npos) << finished.output;
}

INSTANTIATE_TEST_SUITE_P(
    Requests, ReportRefused,
    testing::Values(
        Refusal{"unreadable", "/no/such/file.json -o /tmp/x.html", "cannot be read (No such file or directory)"},
        Refusal{"no_results", std::string(not_json), "not a result file of bench --json: not JSON (line 2, column 9)"},
        Refusal{"cut_off", std::string(cut), "JSON that is cut off (line 2, "},
        Refusal{"journal", std::string(damaged_journal), "not JSON (line 2, column 4)"},
        Refusal{"input_folder", "/", "/: cannot be read (it is a folder)"},
        Refusal{"output_format", fixture("reduce_sum_hip") + " -o /tmp/x.pdf", ".pdf is no format"},
        Refusal{"output_json", fixture("reduce_sum_hip") + " " + fixture("counters") + " -o /tmp/no_such.json",
                "prints one file"},
        Refusal{"output_device", fixture("reduce_sum_hip") + " --format md -o /dev/null", "not a regular file"},
        Refusal{"deep", std::string(deep), "nested deeper than 64 levels"},
        Refusal{"deep_objects", std::string(deep_objects), "nested deeper than 64 levels"},
        Refusal{"format", "--format htlm " + fixture("reduce_sum_hip"), "did you mean 'html'"},
        Refusal{"experiment", "--experiment reduce_sun " + fixture("reduce_sum_hip"), "did you mean 'reduce_sum'"},
        Refusal{"backend", "--backend cudda " + fixture("reduce_sum_hip"), "did you mean 'cuda'"},
        Refusal{"flag", "--fromat md " + fixture("reduce_sum_hip"), "did you mean '--format'"},
        Refusal{"plotly", "--format html " + fixture("reduce_sum_hip"), "/no/such/plotly.js: cannot be read"},
        Refusal{"folder", fixture("reduce_sum_hip") + " -o /no/such/folder/x.md", "cannot be written"},
        Refusal{"several_experiments", "--format svg " + fixture("reduce_sum_hip") + " " + results("op_latency"),
                "choose by --experiment"}),
    [](const auto& info) { return info.param.name; });

TEST(Report, TakesPlotlyFromTheDistributionOrSaysWhatToInstall) {
  const Finished finished = run_process("unset CROSSWARP_PLOTLY; PATH=/no/such/folder; " + sibling("bench") +
                                        " report --format html " + fixture("reduce_sum_hip"));
  if (fs::exists("/usr/share/python3-plotly/plotly.js")) {
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_NE(finished.output.find("plotly.js v"), std::string::npos);
  } else {
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_EQ(lines_in(finished.output), 1u) << finished.output;
    EXPECT_NE(finished.output.find("install python3-plotly"), std::string::npos) << finished.output;
  }
}

}  // namespace
}  // namespace crosswarp
