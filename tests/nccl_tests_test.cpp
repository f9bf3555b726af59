// scripts/nccl_tests on made-up times: matches operations by bytes, and counts those within 3 %.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/process.hpp"

namespace crosswarp {
namespace {

using Json = nlohmann::json;

/// A row of NCCL's.
Json row(const std::string& experiment, double bytes, double microseconds, const std::string& mode = "hot") {
  return {{"variant", "nccl"},
          {"experiment", experiment},
          {"status", "ok"},
          {"mode", mode},
          {"message_bytes", bytes},
          {"real_time", microseconds * 1e3},
          {"axes", {{"place", "out"}}}};
}

/// An operation as nccl-tests' -J writes it.
Json theirs(std::size_t bytes, double microseconds) {
  return {{"size", bytes}, {"out_of_place", {{"time", microseconds}}}, {"in_place", {{"time", 1.0}}}};
}

class NcclTests : public testing::Test {
 protected:
  NcclTests() { std::filesystem::create_directory(folder_); }
  ~NcclTests() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const Json& what) const { std::ofstream(folder_ + "/" + name) << what; }
  Finished run() const {
    return run_process((source_tree() / "scripts/nccl_tests").string() + " " + folder_ + "/rows.json " + folder_);
  }

  const std::string folder_ = temporary_file("nccl_tests");
};

TEST_F(NcclTests, PutsTimesOfTheSameBytesSideBySide) {
  write("rows.json", {{"benchmarks",
                       {row("all_reduce", 1024, 10.2), row("all_reduce", 4096, 12), row("all_gather", 2048, 20),
                        row("all_reduce", 1024, 99, "cold")}}});
  write("all_reduce_graph.json", {{"results", {theirs(1024, 10), theirs(2048, 11), theirs(4096, 10)}}});
  write("all_reduce_stream.json", {{"results", {theirs(1024, 20.4)}}});
  const Finished told = run();
  EXPECT_EQ(told.exit_code, 0) << told.output;
  for (const char* line :
       {"| `all_reduce` | 1 KiB | 10.2 µs | 10 µs | 1.02 | 20.4 µs | 0.50 |\n",
        "| `all_reduce` | 4 KiB | 12 µs | 10 µs | 1.20 |  |  |\n", "| `all_gather` | 2 KiB | 20 µs |  |  |  |  |\n",
        "- By graph: 1 of 2 within 3 %, median 1.110, 1.020 to 1.200.\n",
        "- By stream: 0 of 1 within 3 %, median 0.500, 0.500 to 0.500.\n"})
    EXPECT_NE(told.output.find(line), std::string::npos) << line << told.output;
  EXPECT_EQ(told.output.find("99"), std::string::npos) << told.output;
}

TEST_F(NcclTests, SaysWhatItLacks) {
  const Finished missing = run();
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_NE(missing.output.find("rows.json"), std::string::npos) << missing.output;
  write("rows.json", {{"benchmarks", {row("all_reduce", 1024, 10)}}});
  const Finished nothing = run();
  EXPECT_EQ(nothing.exit_code, 1) << nothing.output;
  EXPECT_NE(nothing.output.find("no operation of the same bytes"), std::string::npos) << nothing.output;
}

}  // namespace
}  // namespace crosswarp
