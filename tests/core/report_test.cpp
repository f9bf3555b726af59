// What is printed and written: null or a dash where there is no number, every sample, files that appear whole.
#include "core/report.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/format.hpp"
#include "tests/core/fake.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// An empty folder of its own for each test, and one result that is ok.
class Report : public testing::Test {
 protected:
  Report() {
    fs::remove_all(folder);
    fs::create_directories(folder);
    VariantEntry v = fake::variant("fake", "better");
    v.improves = "naive";
    ok = fake::timed(lab.add(v, fake::Fill::point(1024)), {2e-6, 1e-6, 3.00001e-6});
    ok.measurement.launches = 20;
    ok.measurement.stopped = "min_time";
    ok.measurement.after.clock = 1.98e9;
    ok.parent = Ratio{2, {1.5, 2.5}};
    ok.kernel = {.registers = 32, .shared_bytes = 128, .occupancy = 0.75, .blocks = 132, .threads = 256};
    ok.measured_peak = 4.096e9;
    skipped.cell = ok.cell;
    skipped.note = "needs wgmma";
    ok.floor = 1e-7;
    ok.note = "includes the synchronisation";
    wrong = ok;
    wrong.status = Status::wrong;
    wrong.note = "sum is 3, should be \"4\", really";
    wrong.verdict = {.error = 1, .bound = 0.5, .where = {}};
    wrong.parent.reset();  // as compare() leaves it
  }

  ~Report() override { fs::remove_all(folder); }

  fake::Lab lab;
  Result ok, skipped, wrong;
  const std::string folder = testing::TempDir() + "crosswarp_report_" + std::to_string(getpid());
};

using JsonLine = Report;

TEST_F(JsonLine, HoldsTheDocumentedFields) {
  const std::string line = json_line(ok);
  EXPECT_EQ(line.find('\n'), line.npos);
  const json j = json::parse(line);
  EXPECT_EQ(j.at("name"), "fake/fill/better/n:1024/type:f32/cold");
  EXPECT_EQ(j.at("run_name"), j.at("name"));
  EXPECT_EQ(j.at("run_type"), "iteration");
  EXPECT_EQ(j.at("time_unit"), "ns");
  EXPECT_DOUBLE_EQ(j.at("real_time"), 2000);
  EXPECT_EQ(j.at("iterations"), 60);
  EXPECT_EQ(j.at("label"), "ok");
  EXPECT_EQ(j.at("status"), "ok");
  EXPECT_EQ(j.at("note"), "includes the synchronisation");
  EXPECT_FALSE(j.contains("error_occurred"));
  EXPECT_EQ(j.at("idea"), "the idea of better");
  EXPECT_EQ(j.at("bound_by"), "the limit of better");
  EXPECT_EQ(j.at("axes"), (json{{"n", 1024}, {"offset", 0}, {"type", "f32"}}));
  EXPECT_EQ(j.at("verdict_error"), 0);
  EXPECT_EQ(j.at("verdict_bound"), 0);
  EXPECT_DOUBLE_EQ(j.at("bytes_per_second"), 2.048e9);
  EXPECT_EQ(j.at("flops_per_second"), 0);
  EXPECT_DOUBLE_EQ(j.at("of_measured_peak"), 0.5);
  EXPECT_TRUE(j.at("of_theoretical_peak").is_null());
  EXPECT_EQ(j.at("floor_ns"), 100);
  EXPECT_EQ(j.at("samples"), 3);
  EXPECT_NEAR(j.at("spread").get<double>(), 0.25, 1e-3);
  EXPECT_EQ(j.at("stopped"), "min_time");
  EXPECT_EQ(j.at("sm_clock_mhz"), 1980);
  EXPECT_TRUE(j.at("sm_clock_mhz_before").is_null());
  EXPECT_EQ(j.at("registers"), 32);
  EXPECT_EQ(j.at("occupancy"), 0.75);
  EXPECT_EQ(j.at("over_parent"), (json{{"value", 2.0}, {"low", 1.5}, {"high", 2.5}}));
  EXPECT_TRUE(j.at("over_library").is_null());
}

TEST_F(JsonLine, HoldsEverySample) {
  ok.measurement.seconds.push_back({6e-6, 4e-6});
  const json j = json::parse(json_line(ok));
  EXPECT_EQ(j.at("sample_times"), (json{2000.0, 1000.0, 3000.01, 6000.0, 4000.0}));
  EXPECT_EQ(j.at("samples_by_placement"), (json{3, 2}));
  EXPECT_EQ(j.at("samples"), 5);
  EXPECT_EQ(j.at("iterations"), 100);
  EXPECT_DOUBLE_EQ(j.at("real_time"), 3500);  // the mean of 2 and 5 µs
  EXPECT_DOUBLE_EQ(j.at("median"), 3000.01);
}

TEST_F(JsonLine, HoldsNullWhereThereIsNoNumber) {
  for (const Result* r : {&wrong, &skipped}) {
    const json j = json::parse(json_line(*r));
    for (const char* name :
         {"real_time", "median", "cpu_time", "bytes_per_second", "flops_per_second", "of_measured_peak",
          "of_theoretical_peak", "floor_ns", "spread", "over_parent", "over_library", "over_other"})
      EXPECT_TRUE(j.at(name).is_null()) << r->label() << ", " << name;
    EXPECT_EQ(j.at("error_occurred"), true);
    EXPECT_EQ(j.at("error_message").get<std::string>(), r->label());
  }
  const json none = json::parse(json_line(skipped));
  for (const char* name : {"device", "measured_peak", "sm_clock_mhz", "registers", "shared_bytes", "occupancy",
                           "blocks", "threads_per_block", "verdict_error"})
    EXPECT_TRUE(none.at(name).is_null()) << name;
  EXPECT_EQ(none.at("samples"), 0);
  EXPECT_EQ(json::parse(json_line(wrong)).at("verdict_error"), 1);
}

TEST_F(JsonLine, HoldsNoBoundWhereNothingWasJudged) {
  EXPECT_TRUE(json::parse(json_line(skipped)).at("verdict_bound").is_null());
}

TEST_F(JsonLine, HoldsNullForNaN) {
  ok.verdict.error = std::nan("");
  ok.parent = Ratio{2, {std::nan(""), std::nan("")}};  // of one placement
  const json j = json::parse(json_line(ok));
  EXPECT_TRUE(j.at("verdict_error").is_null());
  EXPECT_EQ(j.at("over_parent"), (json{{"value", 2.0}, {"low", nullptr}, {"high", nullptr}}));
}

/// Errors on two distributions, of which one has results that are no numbers.
Accuracy some_accuracy() {
  Errors errors, infinite;
  errors.add(1.0f, {1.0, 0x1p-26});
  errors.add(1.0f, {2.0, 0});
  infinite.add(std::nanf(""), {2.0, 0});
  return {.on = {{Distribution::uniform, errors}, {Distribution::ill_conditioned, infinite}}, .why_not = {}};
}

TEST_F(JsonLine, HoldsErrorsWhereTheyWereMeasured) {
  EXPECT_FALSE(json::parse(json_line(ok)).contains("accuracy"));
  ok.accuracy = some_accuracy();
  const json j = json::parse(json_line(ok));
  EXPECT_EQ(j.at("accuracy").at("uniform"), (json{{"outputs", 2},
                                                  {"ulp_median", 0.125},
                                                  {"ulp_max", 0x1p22},
                                                  {"relative_median", 0x1p-26},
                                                  {"relative_max", 0.5}}));
  EXPECT_TRUE(j.at("accuracy").at("ill_conditioned").at("ulp_max").is_null());
  EXPECT_FALSE(j.at("accuracy").contains("positive"));
  EXPECT_FALSE(j.contains("accuracy_why_not"));
  ok.accuracy = Accuracy{.on = {}, .why_not = "no memory"};
  EXPECT_EQ(json::parse(json_line(ok)).at("accuracy_why_not"), "no memory");
}

TEST_F(JsonLine, IsReadWithItsErrors) {
  for (const Accuracy& accuracy : {some_accuracy(), Accuracy{.on = {}, .why_not = "no memory"}}) {
    ok.accuracy = accuracy;
    const Result read = read_json_line(json_line(ok), lab.registry);
    ASSERT_TRUE(read.accuracy);
    EXPECT_EQ(read.accuracy->why_not, accuracy.why_not);
    ASSERT_EQ(read.accuracy->on.size(), accuracy.on.size());
    for (std::size_t i = 0; i < accuracy.on.size(); ++i) {
      EXPECT_EQ(read.accuracy->on[i].distribution, accuracy.on[i].distribution);
      EXPECT_EQ(read.accuracy->on[i].outputs, accuracy.on[i].outputs);
      for (const auto& [name, value] : error_fields)
        EXPECT_EQ(read.accuracy->on[i].*value, accuracy.on[i].*value) << name;
    }
  }
}

/// Two counters, one of which the device lacks, and one kernel.
Counters some_counters() {
  const auto speed = select_counters("speed");
  return {.counts = {{speed.at(0), 1234.5, {}}, {speed.at(1), {}, "the chip has none"}},
          .kernels = {{.name = "void sum<float>(float*)",
                       .use = {.registers = 40, .shared_bytes = 64, .occupancy = 0.5, .blocks = 12, .threads = 64},
                       .grid = {6, 2, 1},
                       .block = {64, 1, 1},
                       .limited_by = "registers"}},
          .why_not = {}};
}

TEST_F(JsonLine, HoldsCountersOnlyWhereTheyWereAskedFor) {
  EXPECT_FALSE(json::parse(json_line(ok)).contains("counters"));
  ok.counters = some_counters();
  const json j = json::parse(json_line(ok));
  EXPECT_EQ(j.at("counters"), (json{{"duration", 1234.5}, {"cycles", nullptr}}));
  EXPECT_EQ(j.at("counters_why_not"), (json{{"cycles", "the chip has none"}}));
  ASSERT_EQ(j.at("kernels").size(), 1u);
  const json& kernel = j.at("kernels")[0];
  EXPECT_EQ(kernel.at("name"), "void sum<float>(float*)");
  EXPECT_EQ(kernel.at("registers"), 40);
  EXPECT_EQ(kernel.at("shared_bytes"), 64);
  EXPECT_EQ(kernel.at("grid"), (json{6, 2, 1}));
  EXPECT_EQ(kernel.at("block"), (json{64, 1, 1}));
  EXPECT_EQ(kernel.at("occupancy"), 0.5);
  EXPECT_EQ(kernel.at("limited_by"), "registers");
}

TEST_F(JsonLine, SaysWhyNothingWasCounted) {
  ok.counters = Counters{.counts = {}, .kernels = {}, .why_not = "not permitted"};
  const json j = json::parse(json_line(ok));
  EXPECT_TRUE(j.at("counters").empty());
  EXPECT_EQ(j.at("counters_why_not"), (json{{"all", "not permitted"}}));
}

TEST_F(JsonLine, SaysWhatBoundsIt) {
  const json j = json::parse(json_line(ok));
  EXPECT_NE(j.at("bound").get<std::string>().find("memory: 50 %"), std::string::npos) << j.at("bound");
  EXPECT_DOUBLE_EQ(j.at("most_gain"), 2);
  EXPECT_TRUE(json::parse(json_line(wrong)).at("bound").is_null());
  EXPECT_TRUE(json::parse(json_line(wrong)).at("most_gain").is_null());
}

TEST_F(JsonLine, SurvivesNotesOfAllKinds) {
  for (const char* note : {"two\nlines", "\"quoted\"", "back\\slash", "5 µs", "not UTF-8: \xff"}) {
    wrong.note = note;
    std::string line;
    EXPECT_NO_THROW(line = json_line(wrong)) << note;
    EXPECT_TRUE(json::accept(line)) << note;
    EXPECT_EQ(lines(line), 0u);
  }
}

using JsonFileTest = Report;

TEST_F(JsonFileTest, AppearsWholeAtTheEnd) {
  const std::string path = folder + "/out.json";
  JsonFile file(path, {{"seed", "7"}});
  EXPECT_FALSE(fs::exists(path));
  file.add(ok);
  EXPECT_EQ(lines(contents(path + ".journal")), 2u);  // the context comes first
  wrong.repetition = 1;
  file.add(wrong);
  EXPECT_EQ(lines(contents(path + ".journal")), 3u);  // there before the run ends
  EXPECT_FALSE(fs::exists(path));
  file.finish();
  const json j = json::parse(contents(path));
  EXPECT_EQ(j.at("context").at("seed"), "7");
  ASSERT_EQ(j.at("benchmarks").size(), 2u);
  std::istringstream journal(contents(path + ".journal"));
  std::string line;
  std::getline(journal, line);
  EXPECT_EQ(json::parse(line), (json{{"context", j.at("context")}}));
  for (const json& entry : j.at("benchmarks")) {
    std::getline(journal, line);
    EXPECT_EQ(json::parse(line), entry);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2) << "something is left over";
}

TEST_F(JsonFileTest, TakesTheLastOfTwoResultsOfOneNameAndRepetition) {
  const std::string path = folder + "/out.json";
  JsonFile file(path, Context());
  Result again = ok;
  again.repetition = 1;
  file.add(ok);
  file.add(again);
  ok.counters = some_counters();
  file.add(ok);
  file.finish();
  const json all = json::parse(contents(path)).at("benchmarks");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].contains("counters"));
  EXPECT_FALSE(all[1].contains("counters"));
}

TEST_F(JsonFileTest, KeepsAnOlderFileUntilThen) {
  const std::string path = folder + "/out.json";
  std::ofstream(path) << "older";
  fs::create_hard_link(path, folder + "/link");
  JsonFile file(path, Context());
  file.add(ok);
  EXPECT_EQ(contents(path), "older");
  file.finish();
  EXPECT_EQ(json::parse(contents(path)).at("benchmarks").size(), 1u);
  EXPECT_EQ(contents(folder + "/link"), "older");  // replaced as a whole, not written over
}

TEST_F(JsonFileTest, IsValidWithoutResults) {
  const std::string path = folder + "/out.json";
  JsonFile(path, Context()).finish();
  const json j = json::parse(contents(path));
  EXPECT_TRUE(j.at("benchmarks").empty() && j.at("benchmarks").is_array());
  EXPECT_TRUE(j.at("context").is_object());
}

TEST_F(JsonFileTest, RefusesAPathThatCannotBeWritten) {
  EXPECT_TRUE(refuses([&] { JsonFile(folder + "/none/out.json", Context()); }, "--json " + folder + "/none/out.json"));
  fs::create_directory(folder + "/taken");
  EXPECT_TRUE(refuses([&] { JsonFile(folder + "/taken", Context()); }, "cannot be written"));
}

TEST_F(JsonFileTest, LeavesNothingBehindWhereItIsRefused) {
  fs::create_directory(folder + "/taken");
  EXPECT_ANY_THROW(JsonFile(folder + "/taken", Context()));
  EXPECT_FALSE(fs::exists(folder + "/taken.journal"));
}

TEST_F(JsonFileTest, ThrowsWhereTheFileCannotBeFinished) {
  JsonFile file(folder + "/out.json", Context());
  fs::create_directory(folder + "/out.json");
  EXPECT_TRUE(refuses([&] { file.finish(); }, "cannot be written"));
}

TEST_F(JsonFileTest, ThrowsWhereTheJournalCannotBeWritten) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const std::string path = folder + "/out.json";
  fs::create_symlink("/dev/full", path + ".journal.tmp");
  EXPECT_TRUE(refuses([&] { JsonFile(path, Context()); }, "--json " + path));
}

TEST_F(JsonFileTest, KeepsEarlierResultsFromTheStart) {
  const std::string path = folder + "/out.json";
  const std::string earlier = json_line(skipped);
  std::ofstream(path + ".journal") << "what an earlier run left";
  JsonFile file(path, Context(), {{wrong.name(), 0, earlier}, {ok.name(), 1, json_line(ok)}});
  EXPECT_EQ(lines(contents(path + ".journal")), 3u);
  EXPECT_NE(contents(path + ".journal").find(earlier), std::string::npos);
  file.add(wrong);  // takes the place of its namesake
  file.finish();
  const json all = json::parse(contents(path)).at("benchmarks");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].at("status"), "wrong");
  EXPECT_EQ(all[1].at("status"), "ok");
}

TEST_F(JsonLine, IsReadBackAsItWasWritten) {
  ok.counters = some_counters();
  ok.observed = {{"cycles_per_load", "cycle", 34.2}};
  ok.library = Ratio{0.5, {std::numeric_limits<double>::quiet_NaN(), 1}};
  ok.other = ok.parent;
  ok.other_rung = "fake/fill/naive";
  ok.proof = "proven: registers 32";
  ok.measurement.seconds.push_back({6e-6, 4e-6});
  ok.measurement.shorter = {{1e-6, 0.5e-6, 2e-6}, {3e-6, 2e-6}};
  ok.cost.left_out = 50;
  ok.measurement.cpu_seconds = 3e-6;
  ok.measurement.after.throttle = "power";
  ok.kernel.useful_blocks = 7;
  ok.kernel.pdl = true;
  ok.mode = Mode::hot;
  ok.launch_by = LaunchBy::graph;
  ok.repetition = 3;
  wrong.verdict.error = std::numeric_limits<double>::quiet_NaN();
  for (const Result* r : {&ok, &skipped, &wrong}) {
    Result again = read_json_line(json_line(*r), lab.registry);
    EXPECT_EQ(again.device.name, r->device.name);
    again.device = r->device;
    const json before = json::parse(json_line(*r)).flatten(), after = json::parse(json_line(again)).flatten();
    ASSERT_EQ(before.size(), after.size());
    for (const auto& [field, value] : before.items())
      if (value.is_number_float()) {
        EXPECT_NEAR(after.at(field), value, 1e-9 * std::abs(value.get<double>())) << field;
      } else {
        EXPECT_EQ(after.at(field), value) << field;
      }
    EXPECT_EQ(again.kernel.useful_blocks, r->kernel.useful_blocks);
    ASSERT_EQ(again.observed.size(), r->observed.size());
    for (std::size_t i = 0; i < r->observed.size(); ++i) EXPECT_EQ(again.observed[i].unit, r->observed[i].unit);
  }
}

TEST_F(JsonLine, IsRefusedWhereItIsNotAsItWasWritten) {
  const json line = json::parse(json_line(ok));
  const auto refused = [&](const char* field, const json& value, const std::string& says) {
    json changed = line;
    changed[field] = value;
    return refuses([&] { read_json_line(changed.dump(), lab.registry); }, says);
  };
  EXPECT_TRUE(refused("launch_by", "post", "'post'"));
  EXPECT_TRUE(refused("status", "fine", "'fine'"));
  EXPECT_TRUE(refused("name", "fake/fill/better/n:8/type:f32/cold", "is not the name of"));
  EXPECT_TRUE(refused("samples_by_placement", {1}, "does not add up"));
  EXPECT_TRUE(refused("shortened_sample_times", {1}, "as many shortened_sample_times"));
  const std::size_t samples = line.at("sample_times").size();
  EXPECT_TRUE(refused("samples_by_placement", {samples, 0}, "placement without samples"));
  for (const double time : {-1.0, 1e300})
    EXPECT_TRUE(refused("sample_times", std::vector<double>(samples, time), "no time of a launch")) << time;
  EXPECT_TRUE(refused("registers", "many", "")) << "a word for a number";
  json lacks = line;
  lacks.erase("floor_ns");
  EXPECT_TRUE(refuses([&] { read_json_line(lacks.dump(), lab.registry); }, "has no floor_ns"));
}

TEST(Fields, HaveNamesMeaningsAndAnOutputOfTheirOwn) {
  std::set<std::string_view> names, meanings;
  for (const Field& f : fields()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_FALSE(f.meaning.empty()) << f.name;
    EXPECT_EQ(f.is_in(Field::terminal | Field::markdown), !f.head.empty()) << f.name;
    const bool is_in_details = f.is_in(Field::result | Field::kernel | Field::source);
    EXPECT_TRUE(!is_in_details || meanings.insert(f.meaning).second) << f.name << ": another field's label";
    EXPECT_EQ(&field(f.name), &f);
  }
  EXPECT_TRUE(refuses([] { field("nothing"); }, "no field nothing"));
}

using FieldsOfAResult = Report;

TEST_F(FieldsOfAResult, AreShownWithTheirUnits) {
  ok.device.peaks["memory"] = 8.192e9;
  ok.measurement.before.clock = 1.5e9;
  const auto shown = [&](const char* name) { return field(name).show(ok); };
  EXPECT_EQ(shown("real_time"), "2.00 µs");
  EXPECT_EQ(shown("floor_ns"), "100 ns");
  EXPECT_EQ(shown("rate"), "2.05 GB/s");
  EXPECT_EQ(shown("measured_peak"), "4.10 GB/s");
  EXPECT_EQ(shown("theoretical_peak"), "8.19 GB/s");
  EXPECT_EQ(shown("of_theoretical_peak"), "25.0 %");
  EXPECT_EQ(shown("over_parent"), "2.00 (naive)");
  EXPECT_EQ(shown("shared_bytes"), "128 B");
  EXPECT_EQ(shown("registers"), "32");
  EXPECT_EQ(shown("sm_clock_mhz_before"), "1500 MHz");
  EXPECT_EQ(shown("over_library"), "");
  EXPECT_EQ(shown("label"), "ok");
  for (const char* name : {"real_time", "rate", "spread", "of_measured_peak", "over_parent"})
    EXPECT_EQ(field(name).show(wrong), "") << name;
}

TEST(ConclusionJson, IsReadBackAsItWasWritten) {
  const Conclusion levels{
      "memory_latency",
      "cold",
      "H200",
      {{"level", "{rung}: {time}, {series}", {{"rung", "a/b"}, {"time", 2e-9, "s"}}, "{x}", {{{"x", 1}}, {{"x", 2}}}},
       sentence("no {numbers}")}};
  const Conclusion again = read_conclusion(Json::parse(to_json(levels).dump()));
  EXPECT_EQ(again.experiment, "memory_latency");
  EXPECT_EQ(again.mode, "cold");
  EXPECT_EQ(again.device, "H200");
  ASSERT_EQ(again.findings.size(), 2u);
  EXPECT_EQ(to_string(again.findings[0]), "a/b: 2.00 ns, 1, 2");
  EXPECT_EQ(again.findings[0].kind, "level");
  EXPECT_EQ(again.findings[0].number("time"), 2e-9);
  EXPECT_EQ(to_string(again.findings[1]), "no {numbers}");
}

TEST_F(JsonLine, IsRefusedWhereItIsNoneOfThisBuild) {
  EXPECT_TRUE(refuses([] { read_json_line("{"); }, "JSON that is cut off (line 1, column 2)"));
  EXPECT_TRUE(refuses([] { read_json_line("{}"); }, "not a result of this program"));
  json other = json::parse(json_line(ok));
  other["variant"] = "removed";
  EXPECT_TRUE(refuses([&] { read_json_line(other.dump(), lab.registry); }, "is not in this build"));
}

/// The records of a CSV file (RFC 4180).
std::vector<std::vector<std::string>> records(const std::string& text) {
  std::vector<std::vector<std::string>> all{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = all.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[i++];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ',')
      all.back().emplace_back();
    else if (!quoted && text[i] == '\n')
      all.push_back({""});
    else
      field += text[i];
  }
  all.pop_back();  // after the last line
  return all;
}

using Csv = Report;

TEST_F(Csv, HasOneRecordForEachResult) {
  CsvFile file(folder + "/out.csv");
  for (const Result* r : {&ok, &wrong, &skipped}) file.add(*r);
  const auto rows = records(contents(folder + "/out.csv"));
  ASSERT_EQ(rows.size(), 4u);
  const auto value = [&](std::size_t row, const std::string& name) {
    const auto column = std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin();
    return rows.at(row).at(static_cast<std::size_t>(column));
  };
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(value(1, "name"), ok.name());
  EXPECT_EQ(value(1, "real_time"), "2000");
  EXPECT_EQ(value(1, "floor_ns"), "100");
  EXPECT_EQ(value(1, "samples"), "3");
  EXPECT_EQ(value(1, "bytes_per_second"), "2.048e+09");
  EXPECT_EQ(value(1, "over_parent"), "2");
  EXPECT_EQ(value(1, "idea"), "the idea of better");
  EXPECT_EQ(value(1, "bound_by"), "the limit of better");
  EXPECT_EQ(value(1, "label"), "ok");
  EXPECT_EQ(value(2, "status"), "wrong");
  EXPECT_EQ(value(2, "label"), wrong.label());
  EXPECT_EQ(value(3, "registers"), "");
  for (const std::size_t row : {2, 3})
    for (const char* name :
         {"real_time", "floor_ns", "spread", "bytes_per_second", "flops_per_second", "of_measured_peak", "over_parent"})
      EXPECT_EQ(value(row, name), "") << name;
}

TEST_F(Csv, HasAColumnForEachCounter) {
  CsvFile file(folder + "/out.csv", select_counters("speed"));
  file.add(ok);
  ok.counters = some_counters();
  file.add(ok);
  const auto rows = records(contents(folder + "/out.csv"));
  const auto duration =
      static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), "duration") - rows[0].begin());
  ASSERT_LT(duration + 1, rows[0].size());
  EXPECT_EQ(rows[0].at(duration + 1), "cycles");
  EXPECT_EQ(rows[1].at(duration), "");
  EXPECT_EQ(rows[2].at(duration), "1234.5");
  EXPECT_EQ(rows[2].at(duration + 1), "");
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST_F(Csv, HasColumnsOfErrorsWhereTheyAreMeasured) {
  CsvFile file(folder + "/out.csv", {}, true);
  file.add(ok);
  ok.accuracy = some_accuracy();
  file.add(ok);
  const auto rows = records(contents(folder + "/out.csv"));
  const auto first =
      static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), "uniform_ulp_median") - rows[0].begin());
  ASSERT_LT(first + 11, rows[0].size());
  EXPECT_EQ(rows[0].at(first + 11), "ill_conditioned_relative_max");
  EXPECT_EQ(rows[1].at(first), "");
  EXPECT_EQ(rows[2].at(first), "0.125");
  EXPECT_EQ(rows[2].at(first + 4), "");  // of positive numbers
  EXPECT_EQ(rows[2].at(first + 8), "inf");
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST_F(Csv, QuotesWhatNeedsIt) {
  CsvFile file(folder + "/out.csv");
  for (const char* note : {"plain", "a, b", "say \"4\"", "two\nlines", ",\",\n"}) {
    wrong.note = note;
    file.add(wrong);
    const auto rows = records(contents(folder + "/out.csv"));
    const auto label = std::find(rows[0].begin(), rows[0].end(), "label") - rows[0].begin();
    EXPECT_EQ(rows.back().at(static_cast<std::size_t>(label)), wrong.label());
  }
  EXPECT_NE(contents(folder + "/out.csv").find(",\"wrong: say \"\"4\"\"\","), std::string::npos);
  EXPECT_NE(contents(folder + "/out.csv").find(",wrong: plain,"), std::string::npos);
}

TEST_F(Csv, QuotesACarriageReturn) {  // which most readers take for the end of a line
  CsvFile file(folder + "/out.csv");
  wrong.note = "a\rb";
  file.add(wrong);
  EXPECT_NE(contents(folder + "/out.csv").find("\"wrong: a\rb\""), std::string::npos);
}

TEST_F(Csv, RefusesAPathThatCannotBeWritten) {
  EXPECT_TRUE(refuses([&] { CsvFile(folder + "/none/out.csv"); }, "--csv " + folder + "/none/out.csv"));
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_TRUE(refuses([&] { CsvFile("/dev/full").add(ok); }, "--csv /dev/full: cannot be written"));
}

TEST(TextTable, AlignsByTheWidestOfEachColumn) {
  TextTable table;
  table.row({"rung", "time", "idea"});
  table.row({"a/b", "4.13 µs", "short"});
  table.row({"a/longer", "5 s", "a longer one"});
  EXPECT_EQ(table.text(0, false),
            "rung         time  idea\n"
            "a/b       4.13 µs  short\n"
            "a/longer      5 s  a longer one\n");
}

TEST(TextTable, CutsLinesToTheWidth) {
  TextTable table;
  table.row({"µµµµ", "µµµµ"});  // ten columns, eighteen bytes
  EXPECT_EQ(table.text(10, false), "µµµµ  µµµµ\n");
  EXPECT_EQ(table.text(9, false), "µµµµ\n") << "too little is left of the second column";
  EXPECT_EQ(table.text(1, false), "…\n");
  table.row({"µ", "a text that is cut where the line ends"});
  EXPECT_EQ(table.text(20, false), "µµµµ  µµµµ\nµ     a text that i…\n");
}

TEST(TextTable, CutsTextBeforeItLeavesOutAFigure) {
  TextTable table;
  table.row({"rung", "time", "×", "rate", "idea"});
  table.row({"cuda/sum/float4", "4.13 µs", "1.02 [1.01, 1.03]", "3.21 TB/s", "sixteen bytes a load"});
  table.row_of_text({"cuda/sum/naive", "", "", "", "skipped: a reason"}, 4, TextTable::Colour::faint);
  table.cut(4, 10);
  table.narrow(0, without_experiment);
  table.narrow(2, without_details);
  table.narrow(4);
  const std::string whole = table.text(0, false);
  EXPECT_NE(whole.find("cuda/sum/float4  4.13 µs  1.02 [1.01, 1.03]  3.21 TB/s  sixteen bytes a load"), whole.npos);
  EXPECT_EQ(table.text(200, false), whole);
  EXPECT_EQ(table.text(66, false),
            "rung                time                  ×       rate  idea\n"
            "cuda/sum/float4  4.13 µs  1.02 [1.01, 1.03]  3.21 TB/s  sixteen b…\n"
            "cuda/sum/naive   skipped: a reason\n");
  EXPECT_EQ(table.text(49, false),
            "rung            time     ×       rate  idea\n"
            "cuda/float4  4.13 µs  1.02  3.21 TB/s  sixteen b…\n"
            "cuda/naive   skipped: a reason\n");
  for (std::size_t width = 37; width < 90; ++width) {
    const std::string text = table.text(width, false);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), width) << text;
    for (const char* figure : {"4.13 µs  1.02", "3.21 TB/s"})
      EXPECT_NE(text.find(figure), text.npos) << width << "\n" << text;
  }
}

TEST(TextTable, GivesALongNameALineOfItsOwn) {
  TextTable table;
  table.row({"rung", "time", "rate"});
  table.last_is_left = false;
  table.row({"cuda/float4", "4.13 µs", "3.21 TB/s"});
  table.row({"cuda/float4@block1024_unroll16", "5.13 µs", "2.21 TB/s"});
  EXPECT_EQ(table.text(36, false),
            "rung                 time       rate\n"
            "cuda/float4       4.13 µs  3.21 TB/s\n"
            "cuda/float4@block1024_unroll16\n"
            "                  5.13 µs  2.21 TB/s\n");
}

TEST(TextTable, MarksBadRowsWithoutColour) {
  TextTable table;
  table.row({"rung", "time", "idea"});
  table.row({"a", "4.13 µs", "an idea"});
  table.row_of_text({"b", "", "wrong: 3, should be 4"}, 2, TextTable::Colour::bad);
  EXPECT_EQ(table.text(0, false),
            "rung     time  idea\n"
            "a     4.13 µs  an idea\n"
            "! b   wrong: 3, should be 4\n");
  EXPECT_EQ(table.text(18, false),
            "rung     time\n"
            "a     4.13 µs\n"
            "! b\n"
            "    wrong: 3,\n"
            "    should be 4\n")
      << "the reason is whole";
}

TEST(TextTable, WrapsTheTextOfItsLastColumn) {
  TextTable table;
  table.row({"name", "unit", "meaning"});
  table.row({"duration", "ns", "time from the start of the kernel to its end"});
  table.last_wraps = true;
  table.left(1);
  EXPECT_EQ(table.text(46, false),
            "name      unit  meaning\n"
            "duration  ns    time from the start of the\n"
            "                kernel to its end\n");
}

TEST(TextTable, LeavesOutAColumnWithNothingInIt) {
  TextTable table;
  table.row({"rung", "× library", "idea"});
  table.row({"a", "", "b"});
  EXPECT_EQ(table.text(0, false), "rung  idea\na     b\n");
  EXPECT_EQ(table.markdown(), "| rung | idea |\n|---|---|\n| a | b |\n");
}

TEST(TextTable, TakesCellsForText) {
  TextTable table;
  table.row({"a\033[31m", "b\nc"});
  EXPECT_EQ(table.text(0, false), "a [31m  b c\n");
}

TEST(TextTable, ColoursOnlyWhereAsked) {
  TextTable table;
  table.row({"abcdef"}, TextTable::Colour::good);
  EXPECT_EQ(table.text(0, false), "abcdef\n");
  EXPECT_EQ(table.text(4, true), "\033[32mabc…\033[0m\n");  // the sequence ends, however short the line is
}

TEST(TextTable, IsMarkdownWithTheFirstRowAsItsHead) {
  TextTable table;
  table.row({"rung", "time", "why"});
  table.row({"a/b", "4.13 µs", "a|b"}, TextTable::Colour::bad);
  EXPECT_EQ(table.markdown(),
            "| rung | time | why |\n"
            "|---|--:|---|\n"
            "| a/b | 4.13 µs | a\\|b |\n");
}

TEST(TerminalTest, IsNoneInAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(Terminal::of(ends[1]).width, 0u);
  EXPECT_FALSE(Terminal::of(ends[1]).colours);
  close(ends[0]), close(ends[1]);
}

using TableTest = Report;

/// The line of `text` on the rung of `r`.
std::string line_of(const std::string& text, const std::string& says) {
  const auto at = text.find(says), begin = text.rfind('\n', at) + 1;
  return at == text.npos ? "" : text.substr(begin, text.find('\n', at) - begin);
}

TEST_F(TableTest, ShowsNumbersOfWhatIsOkAndReasonsOfTheRest) {
  ok.other = Ratio{0.5, {0.45, 0.55}};
  const std::string text = table({ok, wrong, skipped}, {});
  EXPECT_EQ(lines(text), 5u);
  EXPECT_NE(line_of(text, "n:1024/type:f32").find("fill"), std::string::npos) << text;
  for (const char* part : {"2.00 µs", "25.0 %", "2.05 GB/s", "50.0 %", "2.00", "0.50 [0.45, 0.55]",
                           "(includes the synchronisation) the idea of better", "the limit of better"})
    EXPECT_NE(line_of(text, "the idea of").find(part), std::string::npos) << part << " in\n" << text;
  for (const Result* r : {&wrong, &skipped}) {
    const std::string line = line_of(text, r->label());
    ASSERT_FALSE(line.empty()) << text;
    EXPECT_EQ(line.find("B/s"), line.npos);
    EXPECT_EQ(line.find("µs"), line.npos);
    EXPECT_EQ(line.find('%'), line.npos);
  }
}

TEST_F(TableTest, ShowsThreadsOfAHostInItsTitle) {
  const auto title = [](const std::vector<Result>& results) {
    const std::string text = table(results, {});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(title({ok}).find("thread"), std::string::npos) << title({ok}) << ": on a GPU";
  Result other = ok;
  other.cell = lab.add(fake::variant("other", "naive"), ok.cell.point);
  ok.execution = {"threads", 2};
  other.execution = {"OpenMP", 2};
  EXPECT_NE(title({ok, other}).find("Fake 1: 2 threads, 20 launches"), std::string::npos) << title({ok, other});
  other.execution.threads = 1;
  EXPECT_NE(title({ok, other}).find("1 thread (other) or 2 threads (fake), 20 launches"), std::string::npos)
      << title({ok, other});
}

TEST_F(TableTest, ShowsErrorsBesideTimes) {
  EXPECT_EQ(table({ok, wrong}, {}).find("uniform"), std::string::npos);
  EXPECT_EQ(accuracy_table({ok, wrong}, {}), "");
  ok.accuracy = some_accuracy();
  for (const std::string& text : {table({ok, wrong}, {}), accuracy_table({ok, wrong}, {})}) {
    for (const char* part : {"uniform", "ill-conditioned", "median / max"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    for (const char* part : {"0.125 / 4.19e+06", "inf / inf"})
      EXPECT_NE(line_of(text, "0.125 /").find(part), std::string::npos) << part << " in\n" << text;
  }
  ok.accuracy = Accuracy{.on = {}, .why_not = "no memory"};
  EXPECT_NE(table({ok}, {}).find("no accuracy: no memory"), std::string::npos);
}

TEST_F(TableTest, NamesWhatRatiosAreTo) {
  ok.other = Ratio{0.5, {0.45, 0.55}};
  ok.other_rung = "other/fill/best";
  const std::string text = table({ok}, {});
  EXPECT_NE(text.find("2.00 (naive)"), std::string::npos) << text;
  EXPECT_NE(text.find("0.50 [0.45, 0.55] (other/best)"), std::string::npos) << text;
}

TEST_F(TableTest, FitsEightyColumns) {
  ok.other = Ratio{0.5, {0.45, 0.55}};
  ok.other_rung = "other/fill/best";
  ok.library = Ratio{0.5, {0.45, 0.55}};
  const std::string text = table({ok, wrong, skipped}, {.width = 80});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 80u) << text;
  for (const char* part : {"fake/better", "2.00 µs", "2.05 GB/s", "2.00", "wrong: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST_F(TableTest, KnowsNoSpreadOfOneSample) {
  ok.measurement.seconds = {{2e-6}};
  EXPECT_EQ(table({ok}, {}).find("±"), std::string::npos) << table({ok}, {});
  EXPECT_TRUE(json::parse(json_line(ok)).at("spread").is_null());
}

TEST_F(TableTest, HasOneTimeOfALoad) {
  ok.cost.rated = Quantity::accesses;
  ok.observed = {{"ns_per_load", "ns", 186.6}};
  EXPECT_NE(table({ok}, {}).find("187 ns each"), std::string::npos) << table({ok}, {});
}

TEST_F(TableTest, ShowsNoIntervalWhereThereIsNone) {
  ok.other = Ratio{0.5, {std::nan(""), std::nan("")}};
  const std::string text = table({ok}, {});
  EXPECT_NE(text.find("0.50"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST_F(TableTest, IsNothingForNothing) { EXPECT_EQ(table({}, {}), ""); }

TEST_F(TableTest, ShowsCountersRungByRung) {
  EXPECT_EQ(counters_table({ok, wrong}, {}), "");
  ok.counters = some_counters();
  const std::string text = counters_table({ok, wrong}, {});
  EXPECT_NE(line_of(text, "duration").find("1.23 µs"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "cycles").find("-"), std::string::npos) << text;
  for (const char* part : {"fake/better", "40", "64 B", "6×2", "50 %", "registers", "sum"})
    EXPECT_NE(line_of(text, "6×2").find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_NE(text.find("memory: 50 %"), std::string::npos) << text;
}

TEST_F(TableTest, RanksStalls) {
  std::vector<Count> counts;
  const auto stalls = select_counters("stalls");
  counts.push_back({stalls.at(0), 1.0, {}});
  counts.push_back({stalls.at(1), 0.0, {}});
  counts.push_back({stalls.at(2), 9.0, {}});
  ok.counters = Counters{.counts = counts, .kernels = {}, .why_not = {}};
  const std::string text = counters_table({ok}, {});
  EXPECT_LT(text.find(stalls.at(2)->name), text.find(stalls.at(0)->name)) << text;
  EXPECT_EQ(text.find(stalls.at(1)->name), text.npos) << text;
}

TEST_F(TableTest, MarksTheFastestAndWhatIsWrong) {
  Result slower = ok;
  for (double& s : slower.measurement.seconds.at(0)) s *= 2;
  const std::string text = table({slower, ok, wrong}, {.width = 0, .colours = true});
  EXPECT_TRUE(line_of(text, "2.00 µs").starts_with("\033[32m")) << text;
  EXPECT_EQ(line_of(text, "4.00 µs").find('\033'), std::string::npos);
  EXPECT_TRUE(line_of(text, "wrong: ").starts_with("\033[31m"));
}

}  // namespace
}  // namespace crosswarp
