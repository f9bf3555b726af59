// `bench --random` as a user runs it: points by a seed, results with halves, resume, report and compare.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

Finished run(const std::string& arguments) { return run_process(sibling("bench") + " " + arguments); }

const std::string products = "--experiment matmul_f32 --backend host --random 4 --seed 7 ";
/// A seed of small products: under 60 000 multiply-adds each.
const std::string small = "--experiment matmul_f32 --backend host --seed 1596 ";
const std::string quick = "-q --min-time 0.001 --time-limit 0.05 --placements 2 " + small + "--random 4 ";

nlohmann::ordered_json read(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::ordered_json::parse(file);
}

bool says(const Finished& finished, const std::string& text) { return finished.output.find(text) != std::string::npos; }

class Random : public testing::Test {
 protected:
  ~Random() override { std::filesystem::remove_all(folder_); }
  Random() { std::filesystem::create_directories(folder_); }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_ = temporary_file("random");
};

TEST_F(Random, DrawsTheSamePointsFromASeed) {
  const Finished drawn = run("--dry-run " + products + "--variant reference");
  EXPECT_EQ(drawn.exit_code, 0) << drawn.output;
  for (const char* point : {"m:8/n:264/k:248", "m:1046/n:3/k:5072", "m:128/n:8/k:32", "m:3/n:10/k:39"})
    EXPECT_TRUE(says(drawn, std::string("host/matmul_f32/reference/") + point + "/")) << point << "\n" << drawn.output;
  EXPECT_TRUE(says(drawn, "4 cells in 4 groups")) << drawn.output;
  EXPECT_NE(run("--dry-run --seed 8 --experiment matmul_f32 --backend host --random 4 --variant reference").output,
            drawn.output);
}

TEST_F(Random, ReportsEachHalf) {
  const std::string json = file("a.json"), other = file("b.json");
  const Finished finished = run(quick + "--json " + json);
  ASSERT_EQ(finished.exit_code, 0) << finished.output;
  std::map<std::string, std::set<std::string>> points;  // by half
  const auto results = read(json);
  for (const auto& row : results["benchmarks"]) points[row["random"]].insert(row["axes"].dump());
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points["any"].size(), 2u);
  EXPECT_EQ(points["multiples of 8"].size(), 2u);
  const std::string finding =
      "random points, multiples of 8: speed over the fastest rung of host/matmul_f32/reference: ";
  EXPECT_TRUE(says(finished, finding)) << finished.output;
  const Finished report = run("report --format findings " + json);
  EXPECT_TRUE(says(report, finding + "geometric mean")) << report.output;
  EXPECT_TRUE(says(report, "random points, any: ")) << report.output;
  EXPECT_TRUE(says(report, " of 2, worst ")) << report.output;
  const Finished tables = run("report --format md " + json);
  EXPECT_TRUE(says(tables, finding)) << tables.output;
  EXPECT_FALSE(says(tables, "k = 272")) << tables.output;  // no ladder for each of 64 points

  ASSERT_EQ(run(quick + "--json " + other).exit_code, 0);
  const Finished compared = run("compare --all " + json + " " + other);
  for (const char* group : {"matmul_f32, random, any", "matmul_f32, random, multiples of 8"})
    EXPECT_TRUE(says(compared, group)) << compared.output;
}

/// The request has number and seed; a longer sample begins with the shorter one.
TEST_F(Random, ResumesTheSameSample) {
  const std::string json = file("c.json");
  ASSERT_EQ(run("-q --min-time 0.001 --time-limit 0.05 --placements 2 " + small +
                "--random 2 --variant reference --json " + json)
                .exit_code,
            0);
  const auto before = read(json)["benchmarks"];
  ASSERT_EQ(before.size(), 2u);
  const Finished more = run("-q --resume " + json + " --random 4");
  EXPECT_EQ(more.exit_code, 0) << more.output;
  const auto after = read(json)["benchmarks"];
  ASSERT_EQ(after.size(), 4u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(after[i], before[i]);
  std::size_t half = 0;
  for (const auto& row : after) half += row["random"] == "multiples of 8";
  EXPECT_EQ(half, 2u);
}

}  // namespace
}  // namespace crosswarp
