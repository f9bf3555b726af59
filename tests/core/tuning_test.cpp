// Search and table of tunings: successive halving against an exhaustive search, lookup of the nearest point, the
// runner's choice.
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/fields.hpp"
#include "core/random.hpp"
#include "core/report.hpp"
#include "core/runner.hpp"
#include "core/statistics.hpp"
#include "core/tuning_search.hpp"
#include "core/tuning_table.hpp"
#include "tests/core/fake.hpp"
#include "tests/core/refuses.hpp"

namespace crosswarp {
namespace {

using fake::Fill;

using Seconds = std::vector<std::optional<double>>;

TEST(TuningSearch, HalvesAndDropsWhatIsFarBehind) {
  using Indices = std::vector<std::size_t>;
  EXPECT_EQ(survivors({4.0, 1.0, 3.0, 1.5, 1.1}), (Indices{1, 4, 3}));
  EXPECT_EQ(survivors({4.0, 1.0, 3.0, 2.5}), (Indices{1}));
  EXPECT_EQ(survivors({std::nullopt, 2.0, std::nullopt, 1.0}), (Indices{3}));
  EXPECT_EQ(survivors({2.0}), (Indices{0}));
  EXPECT_TRUE(survivors({std::nullopt}).empty());
  EXPECT_EQ(search_rounds(1), 1u);
  EXPECT_EQ(search_rounds(2), 1u);
  EXPECT_EQ(search_rounds(9), 4u);
  EXPECT_EQ(search_rounds(16), 4u);
}

TEST(TuningSearch, SamplesForLongerInEachRound) {
  const StopRule full;
  for (std::size_t round = 0; round + 1 < 4; ++round) {
    const StopRule now = search_rule(full, round, 4), next = search_rule(full, round + 1, 4);
    EXPECT_DOUBLE_EQ(now.min_time * 4, next.min_time);
    EXPECT_LE(now.placements, next.placements);
    EXPECT_GE(now.placements, 2u);
    EXPECT_GE(now.max_samples, 8u);
  }
  EXPECT_EQ(search_rule(full, 3, 4).max_samples, full.max_samples);
  StopRule one = full;
  one.placements = 1;
  EXPECT_EQ(search_rule(one, 0, 4).placements, 1u);  // never more than asked for
}

/// Times of 16 tunings at 16 points, with noise of 3 % a sample: halving finds a tuning within 2 % of the best one at
/// every point, by less than half of the samples of an exhaustive search.
TEST(TuningSearch, FindsTheBestWithin2PercentForHalfTheSamples) {
  constexpr std::size_t tunings = 16, points = 16, most = 400;
  double worst = 1;
  std::size_t samples = 0;
  for (std::uint64_t point = 0; point < points; ++point) {
    const RandomStream shape(11, point);
    Seconds truth;
    for (std::uint64_t t = 0; t < tunings; ++t) truth.emplace_back(1 + 0.08 * static_cast<double>(shape(t) % 16));
    std::uint64_t draws = 0;
    const RandomStream random(12, point);
    const auto measure = [&](std::size_t tuning, std::size_t count) {
      std::vector<double> noisy;
      for (std::size_t i = 0; i < count; ++i)  // 3 % is the deviation of a uniform error of 5.2 %
        noisy.push_back(*truth[tuning] * (1 + 0.104 * (static_cast<double>(random(draws++)) * 0x1p-32 - 0.5)));
      samples += count;
      return median(noisy);
    };
    std::vector<std::size_t> left;
    for (std::size_t t = 0; t < tunings; ++t) left.push_back(t);
    const std::size_t rounds = search_rounds(tunings);
    for (std::size_t round = 0; round < rounds; ++round) {
      const StopRule rule = search_rule({.max_samples = most}, round, rounds);
      Seconds times;
      for (const std::size_t t : left) times.emplace_back(measure(t, rule.max_samples));
      std::vector<std::size_t> next;
      for (const std::size_t i : survivors(times)) next.push_back(left[i]);
      left = next;
    }
    worst = std::max(worst, *truth[left.front()] / **std::ranges::min_element(truth));
  }
  EXPECT_LE(worst, 1.02);
  EXPECT_LT(samples, points * tunings * most / 2);
}

/// Fill's points as products have them: two integers and a word.
Point at(std::int64_t n, std::int64_t offset, const std::string& type = "f32") {
  return Point().set("n", n).set("offset", offset).set("type", type);
}

TEST(LogDistance, IsOfLogarithmsAndInfiniteBetweenWords) {
  EXPECT_DOUBLE_EQ(log_distance(at(1024, 1), at(4096, 1)), 2);
  EXPECT_DOUBLE_EQ(log_distance(at(1024, 8), at(8192, 128)), 5);
  EXPECT_DOUBLE_EQ(log_distance(at(1, 1), at(1, 0)), 1);
  EXPECT_EQ(log_distance(at(7, 1), at(7, 1)), 0);
  EXPECT_TRUE(std::isinf(log_distance(at(7, 1), at(7, 1, "f16"))));
  EXPECT_TRUE(std::isinf(log_distance(at(7, 1), Point().set("n", std::int64_t{7}))));
}

class TuningTableTest : public testing::Test {
 protected:
  TuningTableTest() {
    variant_ = fake::variant("fake", "tuned");
    variant_.tunings = {{{{"block", 256}}}, {{{"block", 512}}}, {{{"block", 1024}}}};
    device_.name = "Fake 1";
  }
  ~TuningTableTest() override { std::filesystem::remove(file_); }
  static TunedPoint tuned(const Point& point, const std::string& tuning) {
    return {.device = "Fake 1",
            .variant = "fake/fill/tuned",
            .source = "",
            .point = point,
            .tuning = tuning,
            .seconds = 1e-6};
  }
  std::string name_at(const TuningTable& table, const Point& point) const {
    const Tuning* found = table.find(device_, variant_, point);
    return found ? found->name() : "none";
  }

  VariantEntry variant_;
  DeviceInfo device_;
  std::string file_ = testing::TempDir() + "crosswarp_" + std::to_string(getpid()) + "_tunings.json";
};

TEST_F(TuningTableTest, FindsTheNearestPointOfTheSameWords) {
  TuningTable table;
  table.add(tuned(at(1000, 1), "block512"));
  table.add(tuned(at(100'000, 1), "block1024"));
  EXPECT_EQ(name_at(table, at(1000, 1)), "block512");
  EXPECT_EQ(name_at(table, at(9000, 1)), "block512");
  EXPECT_EQ(name_at(table, at(11'000, 1)), "block1024");
  EXPECT_EQ(name_at(table, at(1000, 1, "f16")), "none");
}

TEST_F(TuningTableTest, TakesNothingOfOtherDevicesSourcesVariantsAndTunings) {
  const auto alone = [&](auto change) {
    TunedPoint other = tuned(at(8, 1), "block512");
    change(other);
    TuningTable table;
    table.add(other);
    return name_at(table, at(8, 1));
  };
  EXPECT_EQ(alone([](TunedPoint&) {}), "block512");
  EXPECT_EQ(alone([](TunedPoint& t) { t.device = "Fake 2"; }), "none");
  EXPECT_EQ(alone([](TunedPoint& t) { t.source = "before"; }), "none");
  EXPECT_EQ(alone([](TunedPoint& t) { t.variant = "fake/fill/other"; }), "none");
  EXPECT_EQ(alone([](TunedPoint& t) { t.tuning = "block7"; }), "none");
}

TEST_F(TuningTableTest, KeepsPointsInAFileAndReplacesThem) {
  TuningTable first;
  first.add(tuned(at(8, 1), "block512"));
  first.add(tuned(at(9, 1), "block512"));
  first.write("--output", file_);
  TuningTable second;
  second.add(tuned(at(9, 1), "block1024"));
  second.write("--output", file_);
  const TuningTable read(file_);
  EXPECT_EQ(read.problem(), "");
  ASSERT_EQ(read.points().size(), 2u);
  EXPECT_EQ(name_at(read, at(8, 1)), "block512");
  EXPECT_EQ(name_at(read, at(9, 1)), "block1024");
  // Points of another module are dropped with it.
  TuningTable third;
  TunedPoint changed = tuned(at(100, 1), "block512");
  changed.source = "later";
  third.add(changed);
  third.write("--output", file_);
  EXPECT_EQ(TuningTable(file_).points().size(), 1u);
}

TEST_F(TuningTableTest, LeavesOutADamagedFile) {
  EXPECT_EQ(TuningTable(file_).problem(), "");  // none
  for (const char* damaged : {"[", "{\"device\": 1}", "[{\"device\": \"Fake 1\"}]", "7"}) {
    std::ofstream(file_) << damaged;
    const TuningTable table(file_);
    EXPECT_NE(table.problem().find("not a table of tunings"), std::string::npos) << damaged;
    EXPECT_TRUE(table.points().empty());
  }
}

/// A module's source is its file: built again, it is another one.
TEST_F(TuningTableTest, KnowsModulesByTheirContent) {
  variant_.module = file_;
  std::ofstream(file_) << "one";
  const std::string one = source_of(variant_);
  std::ofstream(file_) << "two";
  EXPECT_NE(source_of(variant_), one);
}

/// The runner binds the table's tuning in place of the default one, where the variant is tuned by it, and the result
/// says so.
TEST_F(TuningTableTest, ChoosesForTheRunner) {
  fake::Lab lab;
  std::vector<std::string> bound;
  variant_.bind = [&, inner = variant_.bind](Device& device, const Problem& problem, const Tuning& tuning) {
    bound.push_back(tuning.name());
    return inner(device, problem, tuning);
  };
  variant_.tuned_by_table = true;
  const Cell cell = lab.add(variant_, Fill::point(8));
  RunOptions options;
  options.tunings.add({.device = "Fake 1",
                       .variant = "fake/fill/tuned",
                       .source = source_of(*cell.variant),
                       .point = Fill::point(10),
                       .tuning = "block1024"});
  const Result chosen = Runner(options).verify(cell);
  EXPECT_EQ(chosen.status, Status::ok) << chosen.note;
  EXPECT_EQ(bound, std::vector<std::string>{"block1024"});
  EXPECT_EQ(chosen.tuned_by_table, "block1024");
  EXPECT_EQ(to_json(chosen).at("tuned_by_table"), "block1024");
  EXPECT_NE(table({chosen}, {}).find("(block1024 by the table of tunings) "), std::string::npos) << table({chosen}, {});
  EXPECT_EQ(Runner(RunOptions()).verify(cell).tuned_by_table, "");
  EXPECT_EQ(bound.back(), "block256");
  EXPECT_EQ(Runner(options).verify(lab.cell("fake/fill/tuned", Fill::point(8), 1)).tuned_by_table, "");  // as named
  EXPECT_EQ(bound.back(), "block512");
}

}  // namespace
}  // namespace crosswarp
