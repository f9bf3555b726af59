// Hardware counters of AMD's GPUs, against a stub of rocprofv3: five launches of two kernels, between other kernels.
#include "backends/gpu/amd_counters.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

using gpu::CountedDevice;
using gpu::Rocprof;
namespace fs = std::filesystem;

const std::string stubs = CROSSWARP_SOURCE "/tests/stubs";

class AmdCounters : public testing::Test {
 protected:
  AmdCounters() {
    const char* const kept = getenv("TMPDIR");
    if (kept) outer_ = kept;
    fs::create_directory(temporary);
    setenv("TMPDIR", temporary.c_str(), 1);
    setenv("ROCPROF_STUB_LOG", log.c_str(), 1);
    use("");
  }
  ~AmdCounters() override {
    unsetenv("ROCPROF_STUB_LOG");
    unsetenv("ROCPROF_STUB");
    outer_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", outer_.c_str(), 1);
    fs::remove_all(temporary);
  }
  static void use(const char* fault) { setenv("ROCPROF_STUB", fault, 1); }

  Counters count(const std::string& groups = "all", const CountedDevice& device = {"gfx90a", 32}) {
    return Rocprof({"/no/such/folder", stubs}).count(device, select_counters(groups), process);
  }
  /// The tool's calls so far.
  std::vector<std::string> calls() const {
    std::vector<std::string> lines;
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  static std::string why_not(const Counters& counters, std::string_view name) {
    for (const Count& count : counters.counts)
      if (count.counter->name == name) return count.why_not;
    return "not asked for";
  }

  /// Temporary files of this process alone: another half of the tests runs beside it.
  const fs::path temporary = fs::temp_directory_path() / ("amd_counters_" + std::to_string(getpid()));
  const std::string log = (temporary / "log").string();
  ProfiledProcess process{.command = {"/bin/true", "an argument"}, .range = "cell"};

 private:
  std::string outer_;
};

/// Launch 5 counts five times as much as the first, a kernel of the flush or behind the launches a hundred times.
TEST_F(AmdCounters, CountsTheKernelsOfTheLastLaunch) {
  const Counters counters = count();
  EXPECT_EQ(counters["duration"], 5 * 300 + 5 * 100);
  EXPECT_EQ(counters["instructions"], 5 * 1010);
  EXPECT_EQ(counters["tensor_instructions"], 5 * 64);
  EXPECT_EQ(counters["l2_reductions"], 5 * 7);
  EXPECT_EQ(counters["l2_atomics"], 5 * 3);
  EXPECT_EQ(counters["dram_bytes_read"], 5 * (2048 + 0.5) * 1024);
  EXPECT_EQ(counters["dram_bytes_written"], 5 * (4 + 0.25) * 1024);
  EXPECT_EQ(counters["blocks"], 257);
}

TEST_F(AmdCounters, WeighsMeansByTheKernelsTimes) {
  const Counters counters = count();
  EXPECT_EQ(counters["active_warps"], (16 * 1500 + 8 * 500) / 2000.0);
  EXPECT_EQ(counters["achieved_occupancy"], 100 * 14.0 / 32);
  EXPECT_EQ(counters["l2_hit_rate"], 75) << "the small kernel does not reach L2";
}

TEST_F(AmdCounters, DescribesTheKernels) {
  const Counters counters = count("speed");
  ASSERT_EQ(counters.kernels.size(), 2u);
  const KernelRun &large = counters.kernels[0], &small = counters.kernels[1];
  EXPECT_EQ(large.name, "void large<float, 4>(float*, float const*, int)");
  EXPECT_EQ(small.name, "small(float*)");
  EXPECT_EQ(large.use.registers, 24 + 4);
  EXPECT_EQ(large.use.shared_bytes, 4096u);
  EXPECT_EQ(large.use.blocks, 256u);
  EXPECT_EQ(large.use.threads, 64u);
  EXPECT_EQ(large.grid[0], 256u);
  EXPECT_EQ(large.block[0], 64u);
  use("unified");
  EXPECT_EQ(count("speed").kernels.at(0).use.registers, 24) << "before ROCm 6.4";
}

TEST_F(AmdCounters, GivesAReasonWhereAmdHasNoEquivalent) {
  const Counters counters = count();
  std::set<std::string_view> counted;
  for (const Count& c : counters.counts) {
    if (c.value)
      counted.insert(c.counter->name);
    else
      EXPECT_EQ(c.why_not, "no counter of AMD's stands for it on gfx90a") << c.counter->name;
  }
  EXPECT_EQ(counters.counts.size(), all_counters().size());
  EXPECT_EQ(counted, (std::set<std::string_view>{"duration", "blocks", "instructions", "tensor_instructions",
                                                 "l2_reductions", "l2_atomics", "l2_hit_rate", "dram_bytes_read",
                                                 "dram_bytes_written", "active_warps", "achieved_occupancy"}));
}

TEST_F(AmdCounters, KeepsOtherCountersWhereOneIsUnknown) {
  use("unknown");
  const Counters counters = count("instructions,compute");
  EXPECT_EQ(counters["instructions"], 5 * 1010);
  EXPECT_EQ(why_not(counters, "tensor_instructions").find("rocprofv3: exit code 1: Unable to find all counters"), 0u)
      << why_not(counters, "tensor_instructions");
}

/// An Infinity Cache lies between L2 and DRAM there.
TEST_F(AmdCounters, AsksForWhatTheArchitectureHas) {
  const Counters counters = count("memory", {"gfx942", 32});
  EXPECT_EQ(why_not(counters, "dram_bytes_read"), "no counter of AMD's stands for it on gfx942");
  EXPECT_EQ(counters["l2_hit_rate"], 75);
  for (const std::string& call : calls()) EXPECT_EQ(call.find("_SIZE"), call.npos) << call;
  EXPECT_EQ(count("memory", {"gfx1100", 64})["l2_hit_rate"], 0.0);
  EXPECT_EQ(count("memory", {"gfx90", 32})["l2_hit_rate"], std::nullopt) << "no architecture of that name";
}

TEST_F(AmdCounters, StartsTheToolOnceForEachPass) {
  count();
  const std::vector<std::string> all = calls();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_TRUE(all[0].starts_with("--pmc SQ_WAVES ")) << all[0];
  EXPECT_EQ(all[0].find("SQ_WAVES", all[0].find("SQ_WAVES") + 1), std::string::npos) << "asked for once: " << all[0];
  for (const std::string& call : all) {
    EXPECT_NE(call.find(" --marker-trace --output-format csv -d /"), call.npos) << call;
    EXPECT_TRUE(call.ends_with(" -- /bin/true an argument")) << call;
  }
}

TEST_F(AmdCounters, AreDocumented) {
  count();
  std::ifstream file(CROSSWARP_SOURCE "/docs/counters.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const std::string& call : calls()) {
    std::istringstream words(call);
    std::string word;
    for (words >> word; words >> word && word != "--marker-trace";)
      if (word != "SQ_WAVES") {  // asked for because of the timestamps
        EXPECT_NE(page.find("`" + word + "`"), page.npos) << word;
      }
  }
}

TEST_F(AmdCounters, StartsNothingForCountersThatAmdLacks) {
  const Counters counters = count("stalls");
  EXPECT_EQ(counters.counts.size(), select_counters("stalls").size());
  EXPECT_TRUE(counters.why_not.empty());
  EXPECT_TRUE(calls().empty());
}

TEST_F(AmdCounters, AsksOneByOneWhereAGroupIsRefused) {
  use("half");
  const Counters counters = count("memory");
  EXPECT_EQ(counters["l2_hit_rate"], 75) << "both of its hardware counters in one process";
  EXPECT_EQ(counters["dram_bytes_written"], 5 * (4 + 0.25) * 1024);
  EXPECT_EQ(counters["dram_bytes_read"], 5 * (2048 + 0.5) * 1024);
  EXPECT_EQ(calls().size(), 1u + 1 + 2 + 1);
}

TEST_F(AmdCounters, GivesTheToolsReasonForWhatItRefuses) {
  use("half");
  const Counters occupancy = count("occupancy");
  EXPECT_TRUE(occupancy["active_warps"]) << "4 of 4 counters fit";
  use("");
  process.command = {"/bin/sh", "-c", "echo 'bench: --profile x: wrong: element 7.'; exit 1"};
  const std::size_t before = calls().size();
  EXPECT_TRUE(refuses([&] { count("memory"); }, "rocprofv3: exit code 1: bench: --profile x: wrong: element 7"));
  EXPECT_EQ(calls().size(), before + 2) << "a group and one counter that every GPU has";
  process.command = {"/no/such/program"};
  EXPECT_TRUE(refuses([&] { count("memory"); }, "rocprofv3: exit code 1: FileNotFoundError"));
  process.command = {"/bin/true"};
  use("unlucky");
  EXPECT_TRUE(refuses([&] { count("speed"); }, "rocprofv3: exit code 3: "));
}

TEST_F(AmdCounters, HasNoValueThatTheOutputLacks) {
  use("forgetful");
  const Counters counters = count("instructions,speed");
  EXPECT_FALSE(counters["instructions"]);
  EXPECT_EQ(why_not(counters, "instructions"), "rocprofv3 gave no value of SQ_INSTS");
  EXPECT_EQ(counters["duration"], 2000);
}

TEST_F(AmdCounters, RefusesOutputThatIsNotAsDocumented) {
  const auto refuses_with = [&](const char* fault, const char* says) {
    use(fault);
    return refuses([&] { count("speed"); }, says);
  };
  EXPECT_TRUE(refuses_with("cut", "counters_counter_collection.csv:17: malformed line"));
  EXPECT_TRUE(refuses_with("open", "counters_counter_collection.csv:18: malformed line"));
  EXPECT_TRUE(refuses_with("words", "Counter_Value is no number: 'many'"));
  EXPECT_TRUE(refuses_with("old", "no column Start_Timestamp; rocprofv3 of ROCm 6.3 or later is needed"));
  EXPECT_TRUE(refuses_with("unmarked", "has no range 'cell'"));
  EXPECT_TRUE(refuses_with("idle", "the launch runs no kernel"));
}

TEST_F(AmdCounters, FindsTheOutputInFoldersOfTheTool) {
  use("folders");
  EXPECT_EQ(count("speed")["duration"], 2000);
}

TEST_F(AmdCounters, EndsAProcessThatDoesNotEnd) {
  use("hangs");
  int signs = 0;
  process.sign_of_life = [&] { ++signs; };
  EXPECT_TRUE(refuses(
      [&] {
        Rocprof({stubs}, std::chrono::milliseconds(300)).count({"gfx90a", 32}, select_counters("all"), process);
      },
      "rocprofv3 did not end within 0.3 s"));
  EXPECT_LE(calls().size(), 1u) << "and asks no further";  // none where it ended before it could write
  EXPECT_GT(signs, 0);
}

TEST_F(AmdCounters, SaysWhatIsMissing) {
  EXPECT_TRUE(refuses(
      [&] {
        Rocprof({"/no/such/folder"}).count({"gfx90a", 32}, select_counters("all"), process);
      },
      "needs rocprofv3 of ROCm 6.3 or later (package rocprofiler-sdk)"));
  process.command.clear();
  EXPECT_TRUE(refuses([&] { count(); }, "starts the program anew with one cell, which is impossible here"));
  EXPECT_TRUE(calls().empty());
}

TEST_F(AmdCounters, LeavesNoFilesBehind) {
  count("speed");
  use("cut");
  EXPECT_TRUE(refuses([&] { count("speed"); }, "malformed"));
  fs::remove(log);
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST(AmdCountersTool, IsLookedForOnPathAndInRocm) {
  const std::string path = getenv("PATH");
  const char* const rocm = getenv("ROCM_PATH");
  const std::string kept = rocm ? rocm : "";
  setenv("PATH", "/a::/b/c", 1);
  setenv("ROCM_PATH", "/r", 1);
  const std::vector<std::string> folders = Rocprof::known_folders();
  setenv("PATH", path.c_str(), 1);
  rocm ? setenv("ROCM_PATH", kept.c_str(), 1) : unsetenv("ROCM_PATH");
  EXPECT_EQ(folders, (std::vector<std::string>{"/a", "/b/c", "/r/bin", "/opt/rocm/bin"}));
}

}  // namespace
}  // namespace crosswarp
