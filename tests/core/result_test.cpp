// No rate without an ok, none above what a device can do, no ratio across devices.
#include "core/result.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/fields.hpp"
#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

using fake::Fill;
using fake::timed;

constexpr Status all_but_ok[] = {Status::wrong, Status::skipped, Status::failed, Status::implausible};

TEST(Result, HasANameAndALabel) {
  fake::Lab lab;
  Result r;
  r.cell = lab.add(fake::variant("fake", "naive"), Fill::point(1024));
  EXPECT_EQ(r.name(), "fake/fill/naive/n:1024/type:f32/cold");
  r.launch_by = LaunchBy::graph;
  EXPECT_EQ(r.name(), "fake/fill/naive/n:1024/type:f32/cold/graph");
  r.launch_by = LaunchBy::stream;
  r.mode = Mode::single;
  EXPECT_EQ(r.name(), "fake/fill/naive/n:1024/type:f32/single");
  EXPECT_EQ(r.label(), "skipped");
  r.note = "needs wgmma";
  EXPECT_EQ(r.label(), "skipped: needs wgmma");
  r.status = Status::implausible;
  EXPECT_EQ(r.label(), "implausible: needs wgmma");
  r.status = Status::ok;
  EXPECT_EQ(r.label(), "ok");  // whatever else there is to know about its number
}

TEST(Result, HasRatesFromItsMedian) {
  fake::Lab lab;
  Result r = timed(lab.add(fake::variant("fake", "naive")), {2e-6, 1e-6, 90e-6});
  r.cost = {.bytes_read = 6, .bytes_written = 2, .flops = 100};
  r.measured_peak = 8e6;
  r.device.peaks = {{"memory", 16e6}, {"f32", 100e6}};
  EXPECT_DOUBLE_EQ(*r.time(), 2e-6);
  EXPECT_DOUBLE_EQ(*r.bytes_per_second(), 4e6);
  EXPECT_DOUBLE_EQ(*r.flops_per_second(), 50e6);
  EXPECT_DOUBLE_EQ(*r.of_measured_peak(), 0.5);
  EXPECT_DOUBLE_EQ(*r.of_theoretical_peak(), 0.25);
  r.cost.rated = Quantity::flops;
  r.cost.ceiling = "f32";
  r.measured_peak = 0;
  EXPECT_DOUBLE_EQ(*r.rate(), 50e6);
  EXPECT_DOUBLE_EQ(*r.of_theoretical_peak(), 0.5);
  EXPECT_FALSE(r.of_measured_peak());
  r.cost = {.accesses = 10, .rated = Quantity::accesses, .ceiling = ""};
  EXPECT_DOUBLE_EQ(*r.rate(), 5e6);
  EXPECT_FALSE(r.of_theoretical_peak());
}

TEST(Result, TakesTheMeanOverPlacements) {
  fake::Lab lab;
  Result r = timed(lab.add(fake::variant("fake", "naive")), {2e-6, 2e-6, 90e-6});
  r.measurement.seconds.push_back({4e-6});
  EXPECT_DOUBLE_EQ(*r.time(), 3e-6);
}

TEST(Result, HasNoNumberUnlessItIsOk) {
  fake::Lab lab;
  Result r = timed(lab.add(fake::variant("fake", "naive")), {1e-6});
  r.measured_peak = r.device.peaks["memory"] = 1e9;
  EXPECT_TRUE(r.time() && r.of_measured_peak() && r.of_theoretical_peak());
  for (const Status status : all_but_ok) {
    r.status = status;
    EXPECT_FALSE(r.time() || r.bytes_per_second() || r.flops_per_second()) << to_string(status);
    EXPECT_FALSE(r.of_measured_peak() || r.of_theoretical_peak()) << to_string(status);
  }
}

TEST(Result, HasNoNumberWithoutSamplesOrPeaks) {
  fake::Lab lab;
  Result r = timed(lab.add(fake::variant("fake", "naive")), {});
  EXPECT_FALSE(r.time() || r.bytes_per_second() || r.flops_per_second());
  r.measurement.seconds.push_back({1e-6});
  EXPECT_FALSE(r.of_measured_peak() || r.of_theoretical_peak());
}

/// 1 GB/s from memory, a cache of 1 MB.
DeviceInfo slow_device(double cache_bandwidth) {
  DeviceInfo info;
  info.cache = 1'000'000;
  info.peaks = {{"memory", 1e9}, {"l2", cache_bandwidth}, {"l1", 1e11}, {"f64", 2e9}};
  return info;
}
const DeviceInfo slow = slow_device(1e10);
const Cost reads_4_mb{.bytes_read = 4e6, .bytes_written = 4};

TEST(LeastTime, IsThatOfMemoryWhereCachesAreCold) {
  for (const Mode mode : {Mode::cold, Mode::single})
    EXPECT_NEAR(least_time(slow, reads_4_mb, 4e6, 1, mode), 4e-3, 1e-8);
}

TEST(LeastTime, LetsAHotSetStayInTheCache) {
  EXPECT_NEAR(least_time(slow, reads_4_mb, 4e6, 1, Mode::hot), 3e-3, 1e-8);  // a quarter of it stays
  const Cost reads_half_a_mb{.bytes_read = 5e5};
  EXPECT_NEAR(least_time(slow, reads_half_a_mb, 5e5, 1, Mode::hot), 5e-5, 1e-10);  // held to the cache's rate
}

TEST(LeastTime, LetsWritesEndInTheCacheButNotThoseOfAllSets) {
  const Cost writes{.bytes_written = 1e6};
  EXPECT_NEAR(least_time(slow, writes, 1e6, 1, Mode::cold), 1e-4, 1e-10);
  EXPECT_NEAR(least_time(slow, writes, 1e6, 4, Mode::cold), 0.75e-3, 1e-10);
}

TEST(LeastTime, IsThatOfWhatTheCostIsHeldTo) {
  EXPECT_NEAR(least_time(slow, {.bytes_read = 1e6, .ceiling = "l1"}, 1e6, 1, Mode::hot), 1e-5, 1e-12);
  const Cost arithmetic{.bytes_written = 1e6, .flops = 1e6, .rated = Quantity::flops, .ceiling = "f64"};
  EXPECT_NEAR(least_time(slow, arithmetic, 1e6, 1, Mode::cold), 5e-4, 1e-12);
  EXPECT_EQ(least_time(slow, {.accesses = 1e6, .rated = Quantity::accesses, .ceiling = ""}, 1e6, 1, Mode::hot), 0);
}

TEST(LeastTime, IsNothingWhereRatesAreUnknown) {
  EXPECT_EQ(least_time({}, reads_4_mb, 4e6, 1, Mode::cold), 0);
  EXPECT_EQ(least_time(slow, {}, 0, 1, Mode::hot), 0);
  EXPECT_EQ(least_time(slow_device(0), {.bytes_read = 1e3}, 1e3, 1, Mode::hot), 0);  // all of it in the cache
}

class Compare : public testing::Test {
 protected:
  /// A row that takes so many microseconds.
  Result& row(const std::string& backend, const std::string& name, double microseconds, bool library = false,
              const std::string& improves = {}) {
    VariantEntry v = fake::variant(backend, name);
    v.library = library;
    v.improves = improves;
    v.tunings.resize(2);
    results.push_back(timed(lab.add(v), std::vector<double>(16, 1e-6 * microseconds)));
    return results.back();
  }

  fake::Lab lab;
  std::vector<Result> results;
};

TEST_F(Compare, TakesTheRungItImproves) {
  row("fake", "naive", 8);
  row("other", "naive", 1);
  row("fake", "better", 2, false, "naive");
  compare(results, {"fake"});
  EXPECT_FALSE(results[0].parent);
  ASSERT_TRUE(results[2].parent);
  EXPECT_DOUBLE_EQ(results[2].parent->value, 4);  // its own backend's, at the default tuning
}

TEST_F(Compare, TakesTheParentAtItsDefaultTuning) {
  row("fake", "naive", 8).cell.tuning = nullptr;
  results[0].cell.tuning = &results[0].cell.variant->tunings[1];
  row("fake", "better", 2, false, "naive");
  compare(results, {"fake"});
  EXPECT_FALSE(results[1].parent);
}

TEST_F(Compare, TakesTheFastestLibrary) {
  row("fake", "cub", 3, true);
  row("fake", "thrust", 6, true);
  row("other", "naive", 6);
  compare(results, {"fake", "other"});
  EXPECT_FALSE(results[0].library);  // no row is compared with itself
  EXPECT_DOUBLE_EQ(results[1].library->value, 0.5);
  EXPECT_DOUBLE_EQ(results[2].library->value, 0.5);
}

TEST_F(Compare, TakesTheOtherBackendsFastestHandwrittenRow) {
  row("fake", "naive", 4);
  row("fake", "better", 2);
  row("fake", "cub", 1, true);
  row("other", "naive", 8);
  compare(results, {"fake", "other"});
  EXPECT_DOUBLE_EQ(results[3].other->value, 0.25);
  EXPECT_EQ(results[3].other_rung, "fake/fill/better");
  EXPECT_DOUBLE_EQ(results[0].other->value, 2);
  EXPECT_EQ(results[0].other_rung, "other/fill/naive");
}

TEST_F(Compare, SaysWhyRowsWithOtherNumbersOfThreadsHaveNoRatio) {
  row("fake", "naive", 4).execution = {"threads", 2};
  row("other", "naive", 2).execution = {"Serial", 1};
  compare(results, {"fake", "other"});
  EXPECT_FALSE(results[0].other);
  EXPECT_EQ(field("over_other").show(results[0]), "- (2 threads against 1, other/naive)");
  EXPECT_EQ(field("over_other").show(results[1]), "- (1 thread against 2, fake/naive)");
  const Result read = from_json(to_json(results[1]), results[1].cell);
  EXPECT_EQ(read.execution.space, "Serial");
  EXPECT_EQ(read.execution.threads, 1);
  EXPECT_EQ(read.why_no_other, "1 thread against 2");
  results[1].execution.threads = 0;  // unknown, as in files of an earlier version
  compare(results, {"fake", "other"});
  EXPECT_TRUE(results[0].other);
  EXPECT_EQ(results[0].why_no_other, "");
}

TEST_F(Compare, ComparesWithTheFirstOtherBackendThatTheUserNamed) {
  row("fake", "naive", 4);
  row("other", "naive", 2);
  row("far", "naive", 1).device = lab.device->info();
  compare(results, {"other", "far", "fake"});
  EXPECT_EQ(results[0].other_rung, "other/fill/naive");
  EXPECT_EQ(results[1].other_rung, "far/fill/naive");
  compare(results, {"far", "other", "fake"});
  EXPECT_EQ(results[0].other_rung, "far/fill/naive");
}

TEST_F(Compare, MakesNoRatioAcrossDevices) {
  row("fake", "naive", 4, true);
  row("far", "naive", 2, true);
  row("far", "better", 1, false, "naive").device = lab.device->info();
  compare(results, {"fake", "far"});
  EXPECT_FALSE(results[1].parent || results[1].library || results[1].other);
  EXPECT_FALSE(results[2].parent);  // its own backend's, but elsewhere
  EXPECT_DOUBLE_EQ(results[2].library->value, 4);
}

TEST_F(Compare, MakesNoRatioWithARowThatIsNotOk) {
  for (const Status status : all_but_ok) {
    results.clear();
    lab = fake::Lab();
    row("fake", "naive", 1, true).status = status;
    row("other", "naive", 1).status = status;
    row("fake", "better", 2, false, "naive");
    compare(results, {"fake", "other"});
    for (const Result& r : results) EXPECT_FALSE(r.parent || r.library || r.other) << to_string(status);
  }
}

TEST_F(Compare, MakesNoRatioOfRowsThatWereOnlyVerified) {
  for (const char* name : {"naive", "cub"}) row("fake", name, 1, true).measurement.seconds.clear();
  row("fake", "better", 1, false, "naive").measurement.seconds.clear();
  compare(results, {"fake"});
  for (const Result& r : results) EXPECT_FALSE(r.parent || r.library || r.other) << r.cell.id();
}

}  // namespace
}  // namespace crosswarp
