// scripts/ranks_model on made-up times: finds the parameters that they were made of, and says what it lacks.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/process.hpp"

namespace {

using crosswarp::Finished;
using crosswarp::run_process;
using crosswarp::source_tree;
using Json = nlohmann::json;

constexpr double empty = 2000, latency = 3000, rate = 250;  // ns, ns, bytes per ns: 250 GB/s

/// A launch of reduce_scatter/`variant`.
Json row(const std::string& variant, int ranks, double n, double nanoseconds) {
  return {{"status", "ok"},
          {"backend", "cuda"},
          {"variant", variant},
          {"experiment", "reduce_scatter"},
          {"floor_ns", empty},
          {"real_time", nanoseconds},
          {"axes", {{"n", n}, {"ranks", ranks}, {"type", "f32"}}}};
}

class RanksModel : public testing::Test {
 protected:
  Finished run(const std::vector<Json>& rows, const std::string& options = "") {
    std::ofstream(file_) << Json{{"benchmarks", rows}};
    return run_process((source_tree() / "scripts/ranks_model").string() + " " + file_ + " " + options);
  }
  ~RanksModel() override { std::remove(file_.c_str()); }

  std::string file_ = testing::TempDir() + "crosswarp_" + std::to_string(getpid()) + "_ranks.json";
};

/// Two ranks: `pull` has 2 signals and receives one part, `ring` 1 and one.
std::vector<Json> two_ranks(const std::vector<double>& sizes) {
  std::vector<Json> rows;
  for (const double n : sizes) {
    rows.push_back(row("pull", 2, n, empty + 2 * latency + 4 * n / rate));
    rows.push_back(row("ring", 2, n, empty + latency + 4 * n / rate));
  }
  return rows;
}

TEST_F(RanksModel, FindsTheParametersOfExactTimes) {
  const Finished told = run(two_ranks({256, 65536, 1 << 24}));
  EXPECT_EQ(told.exit_code, 0) << told.output;
  for (const char* variant : {"pull", "ring"})
    EXPECT_NE(told.output.find("| `" + std::string(variant) + "` | 3.00 µs | 250 GB/s | 0 % | 1 KiB … 64 MiB |"),
              std::string::npos)
        << told.output;
}

/// Of 4 ranks `pull` has 2 signals still, `ring` 3; each receives 3 parts, of 1 KiB in 4 ns each.
TEST_F(RanksModel, ExpectsMoreRanks) {
  const Finished told = run(two_ranks({256, 65536, 1 << 24}), "--ranks 4");
  EXPECT_NE(told.output.find("Expected of 4 ranks:"), std::string::npos);
  EXPECT_EQ(told.output.find("Expected of 8"), std::string::npos);
  EXPECT_NE(told.output.find("| 1 KiB | 8.01 µs | 11 µs | `pull` |"), std::string::npos) << told.output;
}

/// Of 2 nodes each rank receives twice as many bytes in its node, and 1 KiB at 1 GB/s behind 5 µs from the other.
TEST_F(RanksModel, ExpectsSeveralNodes) {
  const Finished told = run(two_ranks({256, 65536, 1 << 24}), "--nodes 2 --network 1,5");
  EXPECT_NE(told.output.find("Expected of 2 nodes of 2 ranks, 1 GB/s and 5 µs between them:"), std::string::npos)
      << told.output;
  EXPECT_NE(told.output.find("| 1 KiB | 14 µs | 11 µs | `ring` |"), std::string::npos) << told.output;
}

TEST_F(RanksModel, SaysHowFarTheFitIsOff) {
  std::vector<Json> rows = two_ranks({256, 65536, 1 << 20, 1 << 24});
  rows[4]["real_time"] = 1.5 * rows[4]["real_time"].get<double>();
  const std::string told = run(rows).output;
  EXPECT_EQ(told.find("| `pull` | 3.00 µs | 250 GB/s | 0 %"), std::string::npos) << told;
}

TEST_F(RanksModel, LeavesOutWhatHasNoTime) {
  std::vector<Json> rows = two_ranks({256, 65536, 1 << 24});
  for (std::size_t i = 1; i < rows.size(); i += 2) rows[i]["status"] = "failed";
  EXPECT_EQ(run(rows).output.find("ring"), std::string::npos);
}

TEST_F(RanksModel, SaysWhatItLacks) {
  const auto refused = [&](const std::vector<Json>& rows, const std::string& options, const std::string& why) {
    const Finished told = run(rows, options);
    EXPECT_EQ(told.exit_code, 1) << told.output;
    EXPECT_EQ(told.output.find(why), std::string("ranks_model: ").size()) << told.output;
    EXPECT_EQ(std::ranges::count(told.output, '\n'), 1) << told.output;
  };
  refused(two_ranks({256, 512}), "", "reduce_scatter/pull: two parameters need three sizes or more");
  refused({}, "", file_ + ": is to have one of all_reduce, all_gather, reduce_scatter, and has nothing");
  refused({row("threads", 2, 256, 1)}, "", file_ + ": no row of a variant that the model knows has a time");
  refused(two_ranks({256, 512, 1024}), "--nodes 2", "--nodes needs --network GB_PER_S,MICROSECONDS");
  refused(two_ranks({256, 512, 1024}), "--ranks 1", "--ranks and --nodes are 2 or more");
  refused(two_ranks({256, 512, 1024}), "--ranks four", "a list of numbers has something else");
  const Finished told = run_process((source_tree() / "scripts/ranks_model").string() + " /nowhere.json");
  EXPECT_NE(told.output.find("/nowhere.json: not a result file of bench --json"), std::string::npos) << told.output;
}

}  // namespace
