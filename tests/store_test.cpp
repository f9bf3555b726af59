// `bench store`: a stored file says what the whole one said, in a tenth of the bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Whether numbers agree to the digits that are stored, or to a part of 1e-6 of one (spreads are small differences).
bool same(const Json& a, const Json& b, double relative = 5e-6) {
  if (a.is_number() && b.is_number()) {
    const double x = a, y = b;
    return std::abs(x - y) <= relative * std::max(std::abs(x), std::abs(y)) + 1e-6;
  }
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (!a.is_structured()) return a == b;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
    if (!same(*x, *y, relative)) return false;
  return true;
}

double digits_of(const std::string& field) { return field == "cpu_time" ? 1e-2 : 5e-6; }

bool is_left_out(const std::string& field) { return field == "preparing" || field == "verifying" || field == "timing"; }

class Store : public testing::Test {
 protected:
  Store() { fs::create_directories(folder_); }
  ~Store() override { fs::remove_all(folder_); }

  static Finished bench(const std::string& arguments) { return run_process(sibling("bench") + " " + arguments); }
  /// A copy of a checked-in file of results.
  std::string copy(const std::string& name) const {
    std::ofstream(folder_ / "copy.json") << whole_results(source_tree() / name);
    return folder_ / "copy.json";
  }
  /// `--json` of a short run on the host, in two sizes.
  std::string fresh(const std::string& options = "") const {
    const std::string file = folder_ / "fresh.json";
    const Finished ran =
        bench("-q --backend host --experiment reduce_sum --n 1000,2000 --min-time 0.001 --placements 2 " + options +
              " -f --json " + file);
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    return file;
  }
  static void store(const std::string& file) {
    const Finished stored = bench("store " + file);
    ASSERT_EQ(stored.exit_code, 0) << stored.output;
  }
  static void expect_same(const Json& before, const Json& after) {
    EXPECT_EQ(before.at("context"), after.at("context"));
    ASSERT_EQ(before.at("benchmarks").size(), after.at("benchmarks").size());
    for (std::size_t i = 0; i < before.at("benchmarks").size(); ++i) {
      const Json &was = before["benchmarks"][i], &is = after["benchmarks"][i];
      for (const auto& [field, value] : was.items())
        EXPECT_TRUE(is_left_out(field) || (is.contains(field) && same(value, is.at(field), digits_of(field))))
            << was["name"] << ": " << field << " was " << value << " and is " << is.value(field, Json());
      for (const auto& [field, value] : is.items()) EXPECT_TRUE(was.contains(field)) << field;
    }
  }

  const fs::path folder_ = temporary_file("store");
};

TEST_F(Store, KeepsAllThatAFreshRunSaid) {
  const std::string file = fresh("--accuracy");
  const Json before = Json::parse(read(file));
  store(file);
  EXPECT_TRUE(Json::parse(read(file)).contains("format"));
  EXPECT_TRUE(fs::exists(folder_ / "fresh.samples.xz"));
  expect_same(before, Json::parse(whole_results(file)));
}

/// Rows of several backends with ratios, counters, energy, shortened launches, ranks, tunings and points at random.
TEST_F(Store, KeepsWhatOtherKindsOfRowsSaid) {
  for (const char* name :
       {"results/nvidia-h200/row_sum.json", "results/nvidia-h200/energy.json",
        "results/nvidia-h200/kokkos_counters/atomic_contention.json", "results/nvidia-h200/op_latency.json",
        "results/nvidia-h100-x2/peer_latency.json", "results/nvidia-h200/row_tunings.json",
        "results/nvidia-h200/random/matmul_f64_seed6007.json"}) {
    const std::string file = copy(name);
    const Json before = Json::parse(read(file));
    store(file);
    SCOPED_TRACE(name);
    expect_same(before, Json::parse(whole_results(file)));
  }
}

TEST_F(Store, TakesATenthOfTheBytes) {
  const std::string file = copy("results/nvidia-h200/reduce_sum.json");
  const auto before = fs::file_size(file);
  store(file);
  EXPECT_LT(8 * (fs::file_size(file) + fs::file_size(folder_ / "copy.samples.xz")), before);
}

TEST_F(Store, OfAStoredFileChangesNothing) {
  const std::string file = fresh();
  store(file);
  const std::string rows = read(file), samples = read(folder_ / "fresh.samples.xz");
  store(file);
  EXPECT_EQ(read(file), rows);
  EXPECT_EQ(read(folder_ / "fresh.samples.xz"), samples);
}

TEST_F(Store, IsReadByReportCompareAndResume) {
  const std::string file = fresh(), whole = folder_ / "whole.json", table = bench("report " + file).output;
  fs::copy_file(file, whole);
  store(file);
  EXPECT_EQ(bench("report " + file).output, table);
  const Finished compared = bench("compare " + whole + " " + file);
  EXPECT_EQ(compared.exit_code, 0) << compared.output;
  EXPECT_NE(compared.output.find("0 slower, 0 faster, 2 within noise"), std::string::npos) << compared.output;
  const Finished resumed = bench("--n 1000,2000,3000 --resume " + file);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
  const Json after = Json::parse(whole_results(file)), before = Json::parse(read(whole));
  EXPECT_GT(after["benchmarks"].size(), before["benchmarks"].size());
  EXPECT_TRUE(same(after["benchmarks"][0]["sample_times"], before["benchmarks"][0]["sample_times"]));
}

/// The samples lie next to the file that a link points to.
TEST_F(Store, FollowsLinks) {
  const std::string file = fresh(), before = whole_results(file), link = folder_ / "links/l.json";
  fs::create_directories(folder_ / "links");
  fs::create_symlink("../fresh.json", link);
  store(link);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_FALSE(fs::exists(folder_ / "links/l.samples.xz"));
  for (const std::string& path : {file, link}) expect_same(Json::parse(before), Json::parse(whole_results(path)));
}

TEST_F(Store, RefusesWhatIsNoFileOfResults) {
  const std::string file = fresh();
  const Json whole = Json::parse(read(file));
  const auto refused = [&](const std::string& content, const std::string& path, const std::string& why) {
    std::ofstream(path) << content;
    const Finished finished = bench("store " + path);
    EXPECT_EQ(finished.exit_code, 2) << finished.output;
    EXPECT_NE(finished.output.find(why), std::string::npos) << finished.output;
    EXPECT_EQ(read(path), content) << "it was replaced";
  };
  Json broken = whole;
  for (Json& sample : broken["benchmarks"][0]["sample_times"]) sample = -1;
  refused(broken.dump(), file, "sample_times holds no time of a launch");
  broken = whole;
  broken["benchmarks"][0].erase("status");
  refused(broken.dump(), file, "has no status");
  refused(R"({"format": "crosswarp results 9"})", file, "its format is \"crosswarp results 9\"");
  refused(whole.dump(), folder_ / "x.json.journal", "is the journal of a run");
}

TEST_F(Store, TellsWhatIsDamaged) {
  const std::string file = fresh(), samples = folder_ / "fresh.samples.xz";
  store(file);
  const std::string rows = read(file), packed = read(samples);
  const auto refused = [&](const std::string& why) {
    const Finished finished = bench("report " + file);
    EXPECT_EQ(finished.exit_code, 2) << finished.output;
    EXPECT_NE(finished.output.find("bench: " + file + ": not a result file of bench --json: " + why), std::string::npos)
        << finished.output;
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1) << finished.output;
  };
  fs::remove(samples);
  refused("its file of samples, " + samples + ", cannot be read");
  std::ofstream(samples) << packed.substr(0, packed.size() / 2);
  refused("its file of samples is damaged");
  std::ofstream(samples) << packed;
  Json json = Json::parse(rows);
  json["samples"]["crc32"] = 1;
  std::ofstream(file) << json;
  refused("its file of samples is of other results");
  json = Json::parse(rows);
  json["rows"]["rows"][0].push_back(1);
  std::ofstream(file) << json;
  refused("a row has not as many values as there are columns");
  std::ofstream(file) << rows;
  EXPECT_EQ(bench("report " + file).exit_code, 0);
  EXPECT_EQ(bench("store " + (folder_ / "none.json").string()).exit_code, 2);
}

}  // namespace
}  // namespace crosswarp
