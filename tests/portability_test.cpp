// Portability: each portable variant names its counterpart or says why there is none; `bench report --portability`
// classes each gap by what was declared and measured, and tells where these disagree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const fs::path results = source_tree() / "results/nvidia-h200";

Json read(const fs::path& path) { return Json::parse(std::ifstream(path)); }

/// A file for the time of a test.
class File {
 public:
  explicit File(const std::string& name, const Json& content = {}) : path_(temporary_file(name)) {
    std::ofstream(path_) << content;
  }
  ~File() { fs::remove(path_); }
  operator const std::string&() const { return path_; }

 private:
  std::string path_;
};

Finished portability(const std::string& arguments) {
  return run_process(sibling("bench") + " report --portability " + arguments);
}

/// What `bench --list --json` says of one backend's variants. `points`: small ones, which every device can do.
Json listed(const std::string& backend, const std::string& points = "") {
  const File file("list.json");
  const Finished finished =
      run_process(sibling("bench") + " --list --backend " + backend + " " + points + " -f --json " + std::string(file));
  if (finished.output.find("not in this build") != std::string::npos) return Json::array();
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  return read(std::string(file));
}

/// What a list lacks: counterparts that exist, or a reason for having none.
std::vector<std::string> complaints(const Json& list) {
  std::vector<std::string> all;
  for (const Json& v : list) {
    const std::string rung = v["rung"];
    for (const Json& name : v["counterparts"])
      if (!fs::exists(source_tree() / "backends/cuda" / v["experiment"] / (name.get<std::string>() + ".cu")))
        all.push_back(rung + ": no counterpart " + name.get<std::string>());
    if (v["counterparts"].empty() && v["gaps"].empty() && !v["library"])
      all.push_back(rung + ": neither counterpart nor gap");
    if (!v["not_expressible"].get<std::string>().empty() && v["counterparts"].empty())
      all.push_back(rung + ": stands for no variant");
    for (const Json& gap : v["gaps"])
      if (gap["reason"].get<std::string>().empty() || gap["class"] == "none") all.push_back(rung + ": no reason");
  }
  return all;
}

TEST(Portability, EveryPortableVariantHasACounterpartOrSaysWhyNot) {
  for (const char* backend : {"kokkos", "hip", "simt"})
    for (const char* points : {"", "--experiment warp_divergence,bank_conflict --n 256"})
      for (const std::string& complaint : complaints(listed(backend, points))) ADD_FAILURE() << complaint;
}

TEST(Portability, FindsBrokenDeclarations) {
  const Json list = listed("kokkos");
  if (list.empty()) GTEST_SKIP() << "no Kokkos in this build";
  EXPECT_GT(list.size(), 30u);
  const auto broken = [&](const std::string& variant, const auto& damage) {
    Json changed = list;
    for (Json& v : changed)
      if (v["rung"] == variant) damage(v);
    const std::vector<std::string> found = complaints(changed);
    return found.empty() ? "" : found.front();
  };
  EXPECT_EQ(broken("kokkos/row_sum/adaptive", [](Json& v) { v["counterparts"] = {"adaptve"}; }),
            "kokkos/row_sum/adaptive: no counterpart adaptve");
  EXPECT_EQ(broken("kokkos/memory_latency/team", [](Json& v) { v["counterparts"] = Json::array(); }),
            "kokkos/memory_latency/team: neither counterpart nor gap");
  EXPECT_EQ(broken("kokkos/row_sum/adaptive", [](Json& v) { v["gaps"][0]["reason"] = ""; }),
            "kokkos/row_sum/adaptive: no reason");
  EXPECT_EQ(broken("kokkos/matmul_f16/wgmma", [](Json& v) { v["counterparts"] = Json::array(); }),
            "kokkos/matmul_f16/wgmma: stands for no variant");
}

/// Rows of reduce_sum at one point.
class Results {
 public:
  /// `gap`: class of the declared one.
  Results& add(const std::string& backend, const std::string& variant, double ns,
               const std::vector<std::string>& counterparts = {}, const std::string& gap = "") {
    Json row = pattern_["benchmarks"][0];
    row["backend"] = backend;
    row["variant"] = variant;
    row["rung"] = backend + "/reduce_sum/" + variant;
    row["name"] = backend + "/reduce_sum/" + variant + "/n:67108864/type:f32/cold";
    row["idea"] = "idea of " + variant;
    row["improves"] = row["tuning"] = row["over_parent"] = row["over_library"] = row["over_other"] = nullptr;
    row["sample_times"] = {ns, ns};
    row["samples_by_placement"] = {1, 1};
    row["counters"] = {{"instructions", 1e3 * ns}};
    row["counters_why_not"] = Json::object();
    if (!counterparts.empty()) row["counterparts"] = counterparts;
    if (!gap.empty()) row["gap"] = {{"class", gap}, {"reason", "its reason"}, {"evidence", {"instructions", "waves"}}};
    rows_.push_back(row);
    return *this;
  }
  /// Sets a field of the last row.
  Results& with(const std::string& name, const Json& value) {
    rows_.back()[name] = value;
    return *this;
  }
  Results& library() {
    rows_.back()["library"] = true;
    return *this;
  }

  Results& escape_hatch() {
    rows_.back()["escape_hatch"] = "wmma";
    return *this;
  }

  Results& without_counters() {
    for (Json& row : rows_) row["counters"] = nullptr;
    return *this;
  }
  Json file() const {
    Json file = pattern_;
    file["benchmarks"] = rows_;
    return file;
  }

  /// The lines of the report that contain `word`.
  std::vector<std::string> lines(const std::string& word, const std::string& arguments = "") const {
    const Finished finished = portability(arguments + " " + std::string(File("results.json", file())));
    std::vector<std::string> found;
    std::istringstream text(finished.output);
    for (std::string line; std::getline(text, line);)
      if (line.find(word) != line.npos) found.push_back(line);
    return found;
  }
  std::string line(const std::string& word, const std::string& arguments = "") const {
    const std::vector<std::string> found = lines(word, arguments);
    return found.empty() ? "" : found.front();
  }

 private:
  const Json pattern_ = read(source_tree() / "tests/data/counters.json");
  Json rows_ = Json::array();
};

TEST(Portability, PairsCounterpartsAndComparesTheBest) {
  Results both;
  both.add("cuda", "fast", 10e3).add("cuda", "plain", 20e3).add("cuda", "lib", 9e3).library();
  both.add("mine", "naive", 50e3, {"absent"}).add("mine", "better", 30e3, {"plain", "absent"}, "tuning");
  const std::vector<std::string> rows = both.lines("| reduce_sum | n");
  ASSERT_EQ(rows.size(), 2u);
  // A factor of 1.5 is the programming model's, one of 2 the algorithm's, and so the gap's.
  EXPECT_NE(
      rows[0].find("| `fast` 10.0 µs | `better` 30.0 µs | 3.00 | not written | fast: idea of fast; tuning: its reason"),
      std::string::npos)
      << rows[0];
  EXPECT_NE(rows[1].find("| `lib` 9.00 µs | `naive` 50.0 µs | `plain` 20.0 µs | `better` 30.0 µs | 1.50 |"),
            std::string::npos)
      << rows[1];
}

TEST(Portability, TakesOfTwoThatAreAsFastTheOneLikeTheFastest) {
  for (const auto& [like, line] : {std::pair(30.1e3, "| `fast` 20.0 µs | `like` 30.1 µs | 1.51 | tuning | its reason"),
                                   std::pair(30.9e3, "| `fast` 20.0 µs | `other` 30.0 µs | 1.50 | not written |")}) {
    Results results;
    results.add("cuda", "fast", 20e3).add("cuda", "plain", 29e3);
    results.add("mine", "other", 30e3, {"plain"}).add("mine", "like", like, {"fast"}, "tuning");
    EXPECT_NE(results.line("| reduce_sum | n").find(line), std::string::npos) << results.line("| reduce_sum | n");
  }
}

/// Of the reference, too, where another variant launches the same kernel.
TEST(Portability, TakesOfTwoReferencesThatAreAsFastTheOneThatHasACounterpart) {
  for (const auto& [like, line] :
       {std::pair(20.05e3, "| `like` 20.1 µs | `mine` 30.0 µs | 1.50 | tuning | its reason"),
        std::pair(20.2e3, "| `fast` 20.0 µs | `mine` 30.0 µs | 1.50 | tuning | its reason")}) {
    Results results;
    results.add("cuda", "fast", 20e3).add("cuda", "like", like).add("cuda", "plain", 25e3);
    results.add("mine", "mine", 30e3, {"like"}, "tuning").add("mine", "slow", 40e3, {"fast"}, "no API");
    EXPECT_NE(results.line("| reduce_sum | n").find(line), std::string::npos) << results.line("| reduce_sum | n");
  }
}

TEST(Portability, NamesTheGapOfTheSameAlgorithmWithItsEvidence) {
  Results results;
  results.add("cuda", "plain", 20e3).add("mine", "better", 30e3, {"plain"}, "tuning");
  EXPECT_NE(results.line("| reduce_sum | n").find("| 1.50 | tuning | its reason (instructions 20.0 M → 30.0 M) |"),
            std::string::npos)
      << results.line("| reduce_sum | n");
  EXPECT_NE(results.line("| tuning |").find("| 1 of 1 | 1.50 … 1.50 | 1.50 (1) |"), std::string::npos)
      << results.line("| tuning |");
}

/// A near equal of another algorithm is faster: its counters say nothing about the pair that is shown.
TEST(Portability, EvidenceIsOfThePairThatIsShown) {
  Results results;
  results.add("cuda", "fast", 20e3).add("cuda", "plain", 25e3);
  results.add("mine", "other", 30e3, {"plain"}, "tuning").add("mine", "like", 30.1e3, {"fast"}, "tuning");
  EXPECT_NE(results.line("| reduce_sum | n").find("| 1.51 | tuning | its reason (instructions 20.0 M → 30.1 M) |"),
            std::string::npos)
      << results.line("| reduce_sum | n");
}

TEST(Portability, TellsWhereDeclarationAndMeasurementDisagree) {
  Results slower, level, at_edge, agree;
  slower.add("cuda", "plain", 20e3).add("mine", "better", 30e3, {"plain"});
  EXPECT_NE(slower.line("| reduce_sum | n").find("[declared none, measured 1.50]"), std::string::npos);
  level.add("cuda", "plain", 20e3).add("mine", "better", 21e3, {"plain"}, "tuning");
  EXPECT_NE(level.line("| reduce_sum | n").find("[declared tuning, measured 1.05]"), std::string::npos);
  at_edge.add("cuda", "plain", 20e3).add("mine", "better", 21.3e3, {"plain"}, "tuning");
  at_edge.with("sample_times", {21.1e3, 21.5e3});
  EXPECT_EQ(at_edge.line("| reduce_sum | n").find("declared"), std::string::npos);
  agree.add("cuda", "plain", 20e3).add("mine", "better", 21e3, {"plain"});
  EXPECT_EQ(agree.line("| reduce_sum | n").find("declared"), std::string::npos);
  EXPECT_NE(agree.line("| reduce_sum | n").find("| 1.05 | none |"), std::string::npos);
}

TEST(Portability, ListsEscapeHatchesApart) {
  Results results;
  results.add("cuda", "fast", 10e3).add("mine", "better", 90e3, {}, "no API");
  results.add("mine", "native", 50e3, {"fast"}).escape_hatch();
  const std::string row = results.line("| reduce_sum | n");
  EXPECT_NE(row.find("| `better` 90.0 µs | 9.00 | escape hatch | its reason; escape hatch (wmma): `native` 50.0 µs, "
                     "5.00 ×"),
            std::string::npos)
      << row;
}

TEST(Portability, ComparesTimesOfAStepWhereAllHaveOne) {
  Results results;
  const auto of_ten_steps = [&](double shorter) {
    results.with("left_out", 10).with("shortened_sample_times", {shorter, shorter});
  };
  results.add("cuda", "plain", 20e3);
  of_ten_steps(10e3);
  results.add("mine", "better", 30e3, {"plain"});
  of_ten_steps(20e3);
  EXPECT_NE(results.line("| reduce_sum | n").find("| `plain` 1.00 µs | `better` 1.00 µs | 1.00 | none |"),
            std::string::npos)
      << results.line("| reduce_sum | n");
  results.with("waited", 0.5);
  EXPECT_NE(results.line("| reduce_sum | n").find("| `better` ~1.00 µs | ~1.00 |"), std::string::npos)
      << results.line("| reduce_sum | n");
  results.with("left_out", 0);  // of one row only
  EXPECT_NE(results.line("| reduce_sum | n").find("`better` ~30.0 µs | ~1.50 |"), std::string::npos)
      << results.line("| reduce_sum | n");
}

TEST(Portability, HasMeansOfOneClassAndTheSameAlgorithmOnly) {
  Results results;
  results.add("cuda", "fast", 10e3).add("cuda", "plain", 40e3).add("mine", "better", 40e3, {"plain"});
  results.add("other", "same", 10e3, {"fast"});
  EXPECT_NE(results.line("| not written |").find("| 4.00 … 4.00 | 1.00 (1) |"), std::string::npos);
  EXPECT_NE(results.line("| none (cuda at most 7 % ahead) |").find("| 1.00 … 1.00 | 1.00 (1) |"), std::string::npos);
}

TEST(Portability, MarksNoisyRatiosAndLeavesThemOutOfMeans) {
  Results noisy, both;
  noisy.add("cuda", "plain", 20e3).add("mine", "better", 30e3, {"plain"}, "tuning").with("waited", 0.5);
  EXPECT_NE(noisy.line("| reduce_sum | n").find("`better` ~30.0 µs | ~1.50 |"), std::string::npos)
      << noisy.line("| reduce_sum | n");
  EXPECT_NE(noisy.line("| tuning |").find("| 1 of 1 | ~ |"), std::string::npos) << noisy.line("| tuning |");
  EXPECT_NE(noisy.line("noisy"), "");
}

TEST(Portability, TakesNoRatioBetweenOtherNumbersOfThreads) {
  Results results;
  results.add("host", "reference", 20e3).with("host_threads", 2).with("execution_space", "threads");
  results.add("kokkos", "range", 30e3, {"reference"}).with("host_threads", 1).with("execution_space", "Serial");
  const std::string row = results.line("| reduce_sum | n", "--backend host,kokkos");
  EXPECT_NE(row.find("1 thread against 2: no ratio |"), std::string::npos) << row;
  EXPECT_EQ(row.find("1.50"), std::string::npos) << row;
  results.with("host_threads", 2);
  EXPECT_NE(results.line("| reduce_sum | n", "--backend host,kokkos").find("| 1.50 |"), std::string::npos);
}

TEST(Portability, SaysWhereTheFastestRun) {
  Results results;
  results.add("cuda", "no_such_variant", 20e3).add("hip", "no_such_variant", 25e3).add("cuda", "slow", 50e3);
  results.add("mine", "better", 30e3, {"no_such_variant"}, "tuning").with("execution_space", "OpenMP");
  EXPECT_NE(results.line("| CUDA, HIP | host |"), "");
  EXPECT_NE(results.line("| CUDA | host |", "--backend cuda,mine"), "");  // results of hip are not read
}

TEST(Portability, TakesTheReferenceThatIsNamed) {
  Results results;
  results.add("other", "plain", 20e3).add("mine", "better", 30e3, {"plain"}, "tuning");
  EXPECT_EQ(
      results.line("no results of cuda", ""),
      "bench: report --portability: no results of cuda; name a reference and others by --backend, of other, mine");
  EXPECT_NE(results.line("| reduce_sum | n", "--backend other,mine").find("| 1.50 | tuning |"), std::string::npos);
}

TEST(Portability, ShowsThePointsThatAreNamed) {
  const std::string file = (results / "reduce_sum.json").string();
  const Finished finished = portability("--point reduce_sum/n:1024 --point reduce_sum/n:1073741824/type:f32 " + file);
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_NE(finished.output.find("| n = 2^10 |"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("| n = 2^30 |"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("| n = 2^20 |"), std::string::npos) << finished.output;
  const Finished more = portability("--widest --point reduce_sum/n:1073741824 " + file);
  const auto widest = more.output.find("| reduce_sum | n = 2^10 |"),
             named = more.output.find("| reduce_sum | n = 2^30 |");
  EXPECT_NE(widest, std::string::npos) << more.output;
  EXPECT_LT(widest, named) << more.output;
  const Finished refused = portability("--point reduce_sum/n:7 " + file);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.output, "bench: report --point reduce_sum/n:7: no such point; as reduce_sum/n:1024\n");
}

TEST(Portability, ShowsCountersOfAnotherFile) {
  const auto rows = [](Results& results) -> Results& {
    return results.add("cuda", "plain", 20e3).add("mine", "better", 30e3, {"plain"}, "tuning");
  };
  Results counted, timed;
  rows(counted);
  rows(timed).without_counters();
  EXPECT_EQ(timed.line("| reduce_sum | n").find("instructions"), std::string::npos) << timed.line("| reduce_sum | n");
  const File other("counted.json", counted.file());
  EXPECT_NE(timed.line("| reduce_sum | n", other).find("(instructions 20.0 M → 30.0 M)"), std::string::npos)
      << timed.line("| reduce_sum | n", other);
}

/// A folder of measured results, and one of another GPU made from it: cuda takes twice as long there, kokkos three
/// times, and of row_sum it has nothing.
class TwoFolders : public testing::Test {
 protected:
  TwoFolders() {
    for (const char* gpu : {"a", "b"})
      for (const char* name : {"reduce_sum", "row_sum"}) {
        Json content = Json::parse(whole_results(results / (std::string(name) + ".json")));
        if (*gpu == 'b') make_other(content);
        fs::create_directories(folder_ / gpu);
        std::ofstream(folder_ / gpu / (std::string(name) + ".json")) << content;
      }
  }
  ~TwoFolders() override { fs::remove_all(folder_); }

  static double slower(const Json& row) { return row["backend"] == "kokkos" ? 3 : 2; }
  std::string files() const { return (folder_ / "a/*.json").string() + " " + (folder_ / "b/*.json").string(); }
  static void skip(Json& row) {
    row["status"] = "skipped";
    row["note"] = "does not run here";
    without_samples(row);
  }
  static void without_samples(Json& row) {
    for (const char* samples : {"sample_times", "samples_by_placement"}) row[samples] = Json::array();
  }
  /// Changes each row of a file.
  template <class Change>
  void change(const std::string& gpu, const std::string& name, const Change& of_row) const {
    const fs::path file = folder_ / gpu / (name + ".json");
    Json content = read(file);
    for (Json& row : content["benchmarks"]) of_row(row);
    std::ofstream(file) << content;
  }

 private:
  static void make_other(Json& content) {
    content["context"]["device.gpu0.name"] = "Other GPU";
    for (Json& row : content["benchmarks"]) {
      row["device"] = "Other GPU";
      for (Json& sample : row["sample_times"]) sample = slower(row) * sample.get<double>();
      if (row["experiment"] == "row_sum" && row["backend"] == "kokkos") skip(row);
    }
  }

  fs::path folder_ = temporary_file("folders");
};

/// The harmonic mean over both GPUs, its median over the points, by the definition.
double portability_of_kokkos(const Json& content) {
  struct Times {
    double best = 1e300, best_there = 1e300, kokkos = 1e300;
  };
  std::map<std::string, Times> points;
  for (const Json& row : content["benchmarks"]) {
    if (row["status"] != "ok") continue;
    Times& at = points[row["axes"].dump()];
    const double time = row["real_time"], there = time * (row["backend"] == "kokkos" ? 3 : 2);
    at.best = std::min(at.best, time);
    at.best_there = std::min(at.best_there, there);
    if (row["backend"] == "kokkos" && !row["library"] && !row.contains("escape_hatch"))
      at.kokkos = std::min(at.kokkos, time);
  }
  std::vector<double> means;
  for (const auto& [point, at] : points) means.push_back(2 / (at.kokkos / at.best + 3 * at.kokkos / at.best_there));
  std::ranges::sort(means);
  const std::size_t middle = means.size() / 2;
  return means.size() % 2 ? means[middle] : (means[middle - 1] + means[middle]) / 2;
}

TEST_F(TwoFolders, AreTwoDevicesWithPennycooksMean) {
  const Finished finished = portability("--format md " + files());
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  for (const char* device : {"NVIDIA H200", "Other GPU"})
    EXPECT_NE(finished.output.find("kokkos against cuda, " + std::string(device) + ", cold."), std::string::npos);
  const std::string head = "Performance portability over NVIDIA H200, Other GPU, cold";
  ASSERT_NE(finished.output.find(head), std::string::npos) << finished.output;
  const std::string means = finished.output.substr(finished.output.find(head));
  EXPECT_NE(means.find("| row_sum | kokkos | 10 | 0.0 % [0.0 %, 0.0 %] |"), std::string::npos) << means;
  std::smatch said;
  ASSERT_TRUE(std::regex_search(means, said, std::regex("\\| reduce_sum \\| kokkos \\| 11 \\| ([0-9.]+) % \\[")))
      << means;
  EXPECT_NEAR(std::stod(said[1]), 100 * portability_of_kokkos(Json::parse(whole_results(results / "reduce_sum.json"))),
              0.06);
}

TEST_F(TwoFolders, LeaveOutOfMeansWhatHasAnImplausibleRow) {
  change("b", "reduce_sum", [](Json& row) {
    if (row["axes"]["n"] != 1 << 20 || row["variant"] != "float4") return;
    row["status"] = "implausible";
    without_samples(row);
  });
  const std::string said = portability("--format md " + files()).output;
  const std::string means = said.substr(said.find("Performance portability over "));
  for (const char* backend : {"cuda", "kokkos"})
    EXPECT_NE(means.find("| reduce_sum | " + std::string(backend) + " | 10 | "), std::string::npos) << means;
}

/// What no device can run reaches nothing of a peak, but only where there is one.
TEST_F(TwoFolders, HaveNoShareOfAPeakThatNobodyKnows) {
  for (const char* gpu : {"a", "b"})
    change(gpu, "row_sum", [](Json& row) {
      if (row["backend"] == "kokkos") skip(row);
      for (const char* peak : {"measured_peak", "theoretical_peak", "of_measured_peak", "of_theoretical_peak"})
        row[peak] = nullptr;
      row["ceiling"] = "";
    });
  const std::string said = portability("--format md " + files()).output;
  const std::string means = said.substr(said.find("Performance portability over "));
  EXPECT_NE(means.find("| row_sum | kokkos | 10 | 0.0 % [0.0 %, 0.0 %] |  |"), std::string::npos) << means;
}

TEST_F(TwoFolders, HaveTablesOfTheirOwn) {
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const std::string command = sibling("bench") + " report --experiment reduce_sum --format ";
  const Finished text = run_process(command + "text " + files()), pages = run_process(command + "md " + files());
  // Each of the 11 points has a table for each device, which names its own.
  EXPECT_EQ(count(text.output, "NVIDIA H200: "), 11u) << text.output;
  EXPECT_EQ(count(text.output, "Other GPU: "), 11u);
  for (const char* device : {"NVIDIA H200", "Other GPU"})
    EXPECT_EQ(count(pages.output, std::string(device) + ", n = 2^30, type = f32, op = sum, cold, by stream:"), 1u)
        << pages.output;
}

TEST(Portability, PageContradictsNoDeclaration) {
  std::ostringstream page;
  page << std::ifstream(source_tree() / "docs/portability.md").rdbuf();
  EXPECT_NE(page.str().find("| reduce_sum | "), std::string::npos);
  EXPECT_EQ(page.str().find("[declared "), std::string::npos);
}

}  // namespace
}  // namespace crosswarp
