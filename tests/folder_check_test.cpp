// `bench report --check`: a good folder passes; of each broken copy the finding names the file and what is wrong.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Files = std::map<std::string, Json>;

const std::string checked_in = "results/nvidia-h100";

std::vector<std::string> split(const std::string& text, char at) {
  std::istringstream stream(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

/// A verified row of a large sum, near the peak of memory, with all ratios.
Json model_row(const Json& results) {
  for (const Json& row : results.at("benchmarks"))
    if (row.at("name").get<std::string>().starts_with("cuda/reduce_sum/float4/n:1073741824/")) return row;
  throw std::runtime_error("no row of float4");
}

Json renamed(Json row, const std::string& backend, const std::string& experiment, const std::string& variant) {
  row["backend"] = backend;
  row["experiment"] = experiment;
  row["variant"] = variant;
  row["rung"] = backend + "/" + experiment + "/" + variant;
  row["name"] = row["run_name"] = row["rung"].get<std::string>() + "/n:1073741824/type:f32/cold";
  return row;
}

/// What scripts/measure would leave, a row for each backend and variant that it names.
Files good_folder() {
  const Json model = Json::parse(whole_results(source_tree() / checked_in / "reduce_sum.json"));
  Json context = model.at("context");
  for (const auto& [fact, value] : std::map<std::string, std::string>{{"flags", "GNU 12.2.0 -O3"},
                                                                      {"cpu", "a processor"},
                                                                      {"cpus", "16"},
                                                                      {"host_kernel", "6.1"},
                                                                      {"device.gpu0.power_cap_w", "700"},
                                                                      {"device.gpu0.ecc", "on"},
                                                                      {"device.gpu0.pci", "0000:06:00.0"},
                                                                      {"device.gpu0.pcie", "gen 5 x16"},
                                                                      {"device.gpu0.numa_node", "0"},
                                                                      {"device.gpu0.gpus", "1"},
                                                                      {"device.gpu0.nvlinks", "18"}})
    context[fact] = value;
  const Finished listed = run_process((source_tree() / "scripts/measure").string() + " --files");
  EXPECT_EQ(listed.exit_code, 0) << listed.output;
  Files files;
  for (const std::string& line : split(listed.output, '\n')) {
    std::vector<std::string> words = split(line, ' ');
    const std::string name = words.front();
    std::string experiment = name;
    std::vector<std::string> backends, variants;
    std::map<std::string, std::string> options;  // a later line of a file adds cells, and its options count
    if (files.contains(name))
      for (const Json& option : Json::parse(files[name]["context"]["request"].get<std::string>())) {
        const std::string text = option;
        options[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
      }
    for (std::size_t i = 1; i < words.size(); ++i) {
      const bool has_value = i + 1 < words.size() && !words[i + 1].starts_with("--");
      const auto equals = words[i].find('=');
      const std::string option = words[i].substr(0, equals), value = equals != std::string::npos
                                                                         ? words[i].substr(equals + 1)
                                                                     : has_value                ? words[i + 1]
                                                                     : words[i] == "--counters" ? "all"
                                                                                                : "true";
      i += has_value && equals == std::string::npos;
      options[option] = value;
      if (option == "--backend") backends = split(value, ',');
      if (option == "--variant") variants = split(value, ',');
      if (option == "--experiment") experiment = value;
    }
    if (variants.empty()) variants = {"float4"};
    Json request = Json::array(), rows = Json::array();
    for (const auto& [option, value] : options) request.push_back(option + "=" + value);
    for (const std::string& backend : backends)
      for (const std::string& variant : variants)
        rows.push_back(renamed(model_row(model), backend, experiment, variant));
    context["request"] = request.dump();
    files[name] = {{"context", context}, {"benchmarks", rows}, {"findings", Json::array()}};
  }
  return files;
}

/// A folder for the time of a test.
class Folder {
 public:
  explicit Folder(const Files& files) : path_(temporary_file("folder")) {
    fs::create_directory(path_);
    for (const auto& [name, content] : files) {
      const fs::path file = path_ / (name + ".json");
      fs::create_directories(file.parent_path());
      std::ofstream(file) << content.dump();
    }
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator()(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

Finished check(const std::string& arguments) { return run_process(sibling("bench") + " report --check " + arguments); }

TEST(FolderCheck, TheProgramKnowsTheFilesOfScriptsMeasure) {
  std::stringstream source;
  source << std::ifstream(source_tree() / "bench/report/measured_files.cpp").rdbuf();
  const Finished listed = run_process((source_tree() / "scripts/measure").string() + " --files");
  EXPECT_NE(source.str().find("R\"(" + listed.output + ")\""), std::string::npos)
      << "put this into bench/report/measured_files.cpp:\n"
      << listed.output;
}

TEST(FolderCheck, AGoodFolderPasses) {
  const Files files = good_folder();
  EXPECT_GT(files.size(), 25u);
  const Finished finished = check(Folder(files).path());
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_NE(finished.output.find(std::to_string(files.size()) + " files"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("no finding"), std::string::npos) << finished.output;
}

TEST(FolderCheck, OneRunMayMakeTheFilesOfSeveralExperiments) {
  Files files = good_folder();
  Json& context = files["row_sum"]["context"];
  context["request"] = R"(["--all=true","--backend=cuda,kokkos","--experiment=matmul_f32,row_sum"])";
  const Finished finished = check(Folder(files).path());
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
}

struct Broken {
  const char* name;
  std::function<void(Files&)> damage;
  std::vector<const char*> findings;  ///< Regular expressions: each must match a line, and each line one of them.
};

void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

Json& row(Files& files) { return files["row_sum"]["benchmarks"][0]; }
Json& context(Files& files) { return files["row_sum"]["context"]; }

/// Makes a row `factor` times as fast, in all numbers that follow from its samples.
void speed_up(Json& row, double factor) {
  for (Json& placement : row["sample_times"])
    for (Json& sample : placement) sample = sample.get<double>() / factor;
  for (const char* time : {"real_time", "real_time_low", "real_time_high", "median"})
    row[time] = row[time].get<double>() / factor;
  for (const char* rate : {"bytes_per_second", "flops_per_second", "rate", "of_measured_peak", "of_theoretical_peak"})
    row[rate] = row[rate].get<double>() * factor;
}

const std::vector<Broken> broken{
    {"MissingFile",
     [](Files& f) { f.erase("row_sum"); },
     {"row_sum.json: missing; scripts/measure makes it, and scripts/measure --files lists by which options"}},
    {"OtherCommit",
     [](Files& f) { context(f)["commit"] = "0123456789ab"; },
     {"several values of commit: .* 0123456789ab in row_sum.json"}},
    {"OtherCommitInASubfolder",
     [](Files& f) {
       f["notes/row_sum"] = f["row_sum"];
       f["notes/row_sum"]["context"]["commit"] = "0123456789ab";
     },
     {"several values of commit: .* 0123456789ab in notes/row_sum.json"}},
    {"UncommittedChanges",
     [](Files& f) {
       for (auto& [name, file] : f) file["context"]["commit"] = "0123456789ab-dirty";
     },
     {".*.json: commit 0123456789ab-dirty: build from a clean checkout"}},
    {"RowsOfSeveralCommits",
     [](Files& f) {
       for (auto& [name, file] : f) file["context"]["commit"] = "0123456789ab, ba9876543210";
     },
     {".*.json: rows of several commits: 0123456789ab, ba9876543210"}},
    {"OtherGpu",
     [](Files& f) { context(f)["device.gpu0.name"] = "NVIDIA H200"; },
     {"several values of GPU's name: NVIDIA H100 80GB HBM3 in .* NVIDIA H200 in row_sum.json"}},
    {"OtherPowerCap",
     [](Files& f) { context(f)["device.gpu0.power_cap_w"] = "500"; },
     {"several values of GPU's power_cap_w: 700 in .* 500 in row_sum.json"}},
    {"MissingFacts",
     [](Files& f) {
       context(f).erase("device.gpu0.ecc");
       context(f).erase("flags");
     },
     {"row_sum.json: its context lacks flags, device.gpu0.ecc"}},
    {"WithoutAGpu",
     [](Files& f) {
       for (const char* fact : {"name", "ecc", "pci"}) context(f).erase(std::string("device.gpu0.") + fact);
     },
     {"row_sum.json: its context has no GPU"}},
    {"DebugBuild", [](Files& f) { context(f)["library_build_type"] = "debug"; }, {"row_sum.json: a debug build"}},
    {"BusyGpu",
     [](Files& f) { context(f)["device.gpu0.used_by_others_during"] = "0.40"; },
     {"row_sum.json: others used 40 % of the GPU during it"}},
    {"OtherOptions",
     [](Files& f) { context(f)["request"] = R"(["--all=true","--backend=cuda,kokkos","--min-time=0.001"])"; },
     {"row_sum.json: made by other options: --all=true --backend=cuda,kokkos --min-time=0.001, not .*"}},
    {"RowsOfAnotherExperiment",
     [](Files& f) {
       for (Json& row : f["row_sum"]["benchmarks"]) row = renamed(row, row["backend"], "reduce_sum", "float4");
     },
     {"row_sum.json: has no row of experiment row_sum"}},
    {"WithoutABackend",
     [](Files& f) { f["row_sum"]["benchmarks"].erase(1); },
     {"row_sum.json: has no row of backend kokkos"}},
    {"WithoutAVariant",
     [](Files& f) {
       Json& rows = f["matmul_f32_sustained"]["benchmarks"];
       std::erase_if(rows.get_ref<Json::array_t&>(), [](const Json& row) { return row["variant"] == "cublas"; });
     },
     {"matmul_f32_sustained.json: has no row of variant cublas"}},
    {"WrongRow",
     [](Files& f) {
       row(f)["status"] = "wrong";
       row(f)["note"] = "sum is 1, should be 2";
     },
     {"row_sum.json: 1 row: wrong; cuda/row_sum/float4/.*: sum is 1, should be 2"}},
    {"ImplausibleAndFailedRows",
     [](Files& f) {
       row(f)["status"] = "implausible";
       f["row_sum"]["benchmarks"][1]["status"] = "failed";
     },
     {"row_sum.json: 1 row: implausible; cuda/.*", "row_sum.json: 1 row: failed; kokkos/.*",
      "row_sum.json: has no row with a time"}},
    {"OkWithAnError",
     [](Files& f) { row(f)["verdict_error"] = 1; },
     {"row_sum.json: 1 row: ok with an error above its bound; .*: 1 > .*"}},
    {"ImpossibleRate",
     [](Files& f) { speed_up(row(f), 1.5); },
     {"row_sum.json: 1 row: above the theoretical peak; cuda/row_sum/float4/.*: 1.4.* of it"}},
    {"FasterThanNothing",
     [](Files& f) { speed_up(row(f), 1e4); },
     {"row_sum.json: 1 row: above the theoretical peak; .*", "row_sum.json: 1 row: faster than an empty launch; .*"}},
    {"EditedTime",
     [](Files& f) {
       for (const char* time : {"real_time", "real_time_low", "real_time_high"})
         row(f)[time] = row(f)[time].get<double>() / 1.1;
     },
     {"row_sum.json: 1 row: real_time does not follow from the samples; .*"}},
    {"EditedRate",
     [](Files& f) { row(f)["bytes_per_second"] = 4.7e12; },
     {"row_sum.json: 1 row: bytes_per_second does not follow from the samples; .*: 4.7e\\+12 in the file, .*"}},
    {"IntervalBesideItsTime",
     [](Files& f) { row(f)["real_time_low"] = row(f)["real_time"].get<double>() * 1.1; },
     {"row_sum.json: 1 row: real_time outside of its interval; .*"}},
    {"IntervalBesideItsRatio",
     [](Files& f) { row(f)["over_library"]["high"] = 0.5; },
     {"row_sum.json: 1 row: over_library outside of its interval; .* 0.5\\]"}},
    {"WithoutAClock",
     [](Files& f) {
       for (Json& row : f["row_sum"]["benchmarks"]) row["sm_clock_mhz"] = nullptr;
     },
     {"row_sum.json: 2 rows: without a clock; the first: .*"}},
    {"WithoutTimes",
     [](Files& f) {
       for (Json& row : f["row_sum"]["benchmarks"]) row["status"] = "skipped", row["note"] = "no GPU";
     },
     {"row_sum.json: has no row with a time"}},
    {"NoResults", [](Files& f) { f["row_sum"] = 3; }, {"row_sum.json: cannot be read: .*"}},
};

class FolderCheckBroken : public testing::TestWithParam<Broken> {};

TEST_P(FolderCheckBroken, IsFound) {
  const Broken& broken = GetParam();
  Files files = good_folder();
  broken.damage(files);
  const Finished finished = check(Folder(files).path());
  EXPECT_EQ(finished.exit_code, 1) << finished.output;
  std::vector<std::string> lines = split(finished.output, '\n');
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(std::regex_match(lines.back(), std::regex(".*: \\d+ files, \\d+ cells, \\d+ findings?"))) << lines.back();
  lines.pop_back();
  const auto matches = [](const std::string& line, const char* finding) {
    return std::regex_match(line, std::regex(finding));
  };
  for (const char* finding : broken.findings)
    EXPECT_TRUE(std::ranges::any_of(lines, [&](const auto& line) { return matches(line, finding); }))
        << finding << "\nis not in\n"
        << finished.output;
  for (const std::string& line : lines)
    EXPECT_TRUE(std::ranges::any_of(broken.findings, [&](const char* finding) { return matches(line, finding); }))
        << line;
}

INSTANTIATE_TEST_SUITE_P(Copies, FolderCheckBroken, testing::ValuesIn(broken),
                         [](const auto& info) { return info.param.name; });

TEST(FolderCheck, ARunThatWasCutOffIsFound) {
  const Folder folder(good_folder());
  std::ofstream(folder("row_sum.json.journal")) << "{}";
  const Finished finished = check(folder.path());
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_NE(finished.output.find("row_sum.json.journal: its run was cut off"), std::string::npos) << finished.output;
  // That of a run that has ended is older than its file.
  const fs::path journal = folder("row_sum.json.journal");
  fs::last_write_time(journal, fs::last_write_time(folder("row_sum.json")) - std::chrono::seconds(1));
  EXPECT_EQ(check(folder.path()).exit_code, 0);
}

TEST(FolderCheck, RefusesWhatIsNoFolder) {
  for (const std::string arguments : {"", "/no/such/folder", "/tmp /tmp", "/tmp -o x.md", "/tmp --portability"})
    EXPECT_EQ(check(arguments).exit_code, 2) << arguments;
}

/// Rows that a run judged ok, and whose ceilings were measured at their best, must not be found implausible.
TEST(FolderCheck, FindsNothingImplausibleInWhatWasMeasured) {
  const Finished finished = check((source_tree() / "results/nvidia-h200").string());
  const std::regex not_of_rows(
      ".*: (missing|its context lacks|made by other options|has no row of|rows of several commits) ?.*|"
      "several values of .*");
  std::vector<std::string> lines = split(finished.output, '\n');
  lines.pop_back();
  for (const std::string& line : lines) EXPECT_TRUE(std::regex_match(line, not_of_rows)) << line;
}

}  // namespace
}  // namespace crosswarp
