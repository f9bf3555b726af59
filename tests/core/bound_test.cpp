// What limits a result, in words, for results made up for each case.
#include "core/bound.hpp"

#include "core/fields.hpp"
#include "tests/core/fake.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

class BoundWords : public testing::Test {
 protected:
  /// One gigabyte in a second: the ceiling is one gigabyte per second.
  BoundWords() : result(fake::timed(lab.add(fake::variant("fake", "any")), {1.0})) {
    result.cost = {.bytes_read = 1e9, .bytes_written = 0, .flops = 0, .accesses = 0};
    result.measured_peak = 1e9;
    result.floor = 1e-6;
  }

  void takes(double seconds) { result.measurement.seconds = {{seconds}}; }
  std::string words() const { return bound_in_words(result).value().words; }
  bool says(const std::string& text) const { return words().find(text) != std::string::npos; }

  void counted(const std::vector<std::pair<std::string, double>>& values) {
    result.counters.emplace();
    for (const auto& [name, value] : values)
      for (const Counter& counter : all_counters())
        if (counter.name == name) result.counters->counts.push_back({&counter, value, {}});
    ASSERT_EQ(result.counters->counts.size(), values.size()) << "a counter has been renamed";
  }

  fake::Lab lab;
  Result result;
};

TEST_F(BoundWords, AreNoneWithoutATime) {
  result.status = Status::wrong;
  EXPECT_FALSE(bound_in_words(result));
}

TEST_F(BoundWords, NameTheMemoryNearItsMeasuredPeak) {
  takes(1.0 / 0.99);
  EXPECT_EQ(words(), "memory: 99 % of measured peak; at most 1.01 × to gain");
  EXPECT_NEAR(bound_in_words(result)->gain.value(), 1.01, 0.001);
}

TEST_F(BoundWords, HaveANameForANarrowColumn) {
  takes(1.0 / 0.99);
  EXPECT_EQ(bound_name(result), "memory");
  takes(2);
  EXPECT_EQ(bound_name(result), "the limit of any");
  result.cost.bytes_read = 4;
  takes(1.9e-6);
  EXPECT_EQ(bound_name(result), "launch");
  result.status = Status::wrong;
  EXPECT_EQ(bound_name(result), "");
}

TEST_F(BoundWords, NameTheCacheAboveThePeakOfMemory) {
  takes(0.5);
  EXPECT_EQ(words(), "memory: 200 % of measured peak, out of the cache");
  EXPECT_FALSE(bound_in_words(result)->gain);
}

TEST_F(BoundWords, DistrustAMeasuredPeakThatIsExceeded) {
  result.cost.ceiling = "l1";
  result.cost.bytes_read = 1e9;
  takes(1 / 1.005);
  EXPECT_EQ(words(), "l1: 100 % of measured peak; at most 1.00 × to gain");
  EXPECT_EQ(field("of_measured_peak").show(result), "100.5 %");
  takes(0.8);
  EXPECT_EQ(words(), "l1: 125 % of measured peak, above it: measure it again by bench devices --measure");
  EXPECT_EQ(field("of_measured_peak").show(result), "125.0 %!");
  result.cost.ceiling = "memory";
  EXPECT_EQ(field("of_measured_peak").show(result), "125.0 %") << "out of the cache";
}

TEST_F(BoundWords, NameTheArithmetic) {
  result.cost.flops = 9e12;
  result.device.peaks["f32"] = 1e12;
  takes(10);
  EXPECT_EQ(words(), "compute: 90 % of theoretical peak; at most 1.11 × to gain");
}

TEST_F(BoundWords, NameTheLaunchOfAShortKernel) {
  result.cost.bytes_read = 4;
  takes(1.5e-6);
  EXPECT_EQ(words(), "launch: 67 % of the time is an empty launch; at most 1.50 × to gain");
  takes(0.95e-6);  // an empty launch varies, too
  EXPECT_EQ(words(), "launch: 100 % of the time is an empty launch; at most 1.00 × to gain");
}

TEST_F(BoundWords, DoNotTakeAnEmptyLaunchForAFloorThatIsSlower) {
  result.measured_peak = 0;
  result.floor = 9e-3;  // on a busy host
  takes(0.5e-6);
  EXPECT_EQ(words(), "unknown: no ceiling was measured");
  result.measured_peak = 1e9;
  result.cost.bytes_read = 100;
  EXPECT_EQ(words(),
            "latency or contention: far from every ceiling (memory: 20 % of measured peak); at most 5.00 × to gain");
}

TEST_F(BoundWords, AdmitThatNothingExplainsIt) {
  takes(10);
  EXPECT_EQ(words(),
            "latency or contention: far from every ceiling (memory: 10 % of measured peak); at most 10.00 × to gain");
  result.counters.emplace();  // asked for, and none read
  EXPECT_TRUE(says("latency or contention"));
}

TEST_F(BoundWords, NameThePartThatTheCostIsHeldTo) {
  result.cost = {.flops = 1e9, .rated = Quantity::flops, .ceiling = "f64"};
  result.measured_peak = 0;
  result.device.peaks["f64"] = 1e9;
  takes(1.25);
  EXPECT_EQ(words(), "f64: 80 % of theoretical peak; at most 1.25 × to gain");
  result.measured_peak = 0.8e9;
  EXPECT_EQ(words(), "f64: 100 % of measured peak; at most 1.00 × to gain");
  result.cost = {.accesses = 1e6, .rated = Quantity::accesses, .ceiling = ""};
  result.measured_peak = 0;
  EXPECT_EQ(words(), "unknown: no ceiling for what it counts");
  counted({{"l2_atomic_unit", 33}, {"l2_throughput", 4}});
  EXPECT_TRUE(says("atomics on few addresses"));
  EXPECT_FALSE(bound_in_words(result)->gain);
}

TEST_F(BoundWords, KnowNothingWithoutACeiling) {
  result.measured_peak = result.floor = 0;
  EXPECT_TRUE(says("unknown"));
  EXPECT_FALSE(bound_in_words(result)->gain);
}

TEST_F(BoundWords, NameTheUnitThatIsBusy) {
  takes(3);
  counted({{"dram_throughput", 40}, {"l2_throughput", 91}});
  EXPECT_TRUE(says("L2 at 91 % of peak (memory: 33 % of measured peak)")) << words();
}

TEST_F(BoundWords, TellOfBytesThatTheProblemDoesNotNeed) {
  takes(3);
  counted({{"dram_throughput", 95}, {"dram_bytes_read", 2.5e9}, {"dram_bytes_written", 0.5e9}});
  EXPECT_TRUE(says("DRAM at 95 % of peak, moving 3.00 × what the problem needs")) << words();
}

TEST_F(BoundWords, NameAtomicsOnlyWhereTheirUnitIsBusyAndNothingElseIs) {
  takes(100);
  counted({{"l2_throughput", 2}, {"dram_throughput", 1}, {"l2_atomic_unit", 33}});
  EXPECT_TRUE(says("atomics on few addresses")) << words();
  counted({{"l2_throughput", 2}, {"dram_throughput", 1}, {"l2_atomic_unit", 10}});
  EXPECT_TRUE(says("latency or contention")) << words();
  counted({{"l2_throughput", 60}, {"dram_throughput", 1}, {"l2_atomic_unit", 97}});
  EXPECT_FALSE(says("atomics")) << words();
}

TEST_F(BoundWords, NameWhatWarpsWaitForMost) {
  takes(4);
  counted({{"dram_throughput", 25},
           {"stall_long_scoreboard", 7},
           {"stall_wait", 2},
           {"stall_selected", 1},
           {"achieved_occupancy", 24}});
  EXPECT_TRUE(says("latency: 70 % of a warp's time waiting for global or local memory, 24 % occupancy")) << words();
}

/// As on AMD's GPUs, which tell neither how busy a unit is nor where warps stall.
TEST_F(BoundWords, ConcludeNothingFromOccupancyAlone) {
  takes(4);
  counted({{"achieved_occupancy", 24}, {"l2_hit_rate", 50}});
  EXPECT_TRUE(says("latency or contention: far from every ceiling")) << words();
}

}  // namespace
}  // namespace crosswarp
