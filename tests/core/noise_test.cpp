// Noise: quiet rows have none; each kind of disturbance marks a row and its ratios.
#include "core/noise.hpp"

#include <gtest/gtest.h>

#include "core/fields.hpp"
#include "core/report.hpp"
#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

class Noise : public testing::Test {
 protected:
  Noise() : result(fake::timed(lab.add(fake::variant("fake", "any")), std::vector<double>(20, 1e-5))) {
    result.floor = 2e-6;
    result.floor_p90 = 2.1e-6;
  }
  std::string shown(std::string_view name) const { return field(name).show(result); }

  fake::Lab lab;
  Result result;
};

TEST_F(Noise, IsNotInAQuietRow) {
  EXPECT_EQ(noise(result), "");
  result.measurement.waited = 0.01;
  EXPECT_EQ(noise(result), "");
  result.measurement.seconds = {{1e-5, 1.02e-5, 1.1e-5}, {1.1e-5, 1.12e-5, 9e-5}};  // one interruption
  EXPECT_EQ(noise(result), "");
  EXPECT_EQ(shown("real_time"), "10.7 µs");
  EXPECT_EQ(shown("noisy"), "");
  EXPECT_FALSE(to_json(result).contains("noisy"));
}

TEST_F(Noise, IsInARowWhoseThreadsWaited) {
  result.measurement.waited = 0.35;
  EXPECT_EQ(noise(result), "waited for a processor 35.0 % of the time");
  EXPECT_EQ(shown("real_time"), "~10.0 µs");
  EXPECT_EQ(to_json(result).at("noisy"), noise(result));
  EXPECT_NE(table({result}, Terminal{}).find("noisy: waited for a processor"), std::string::npos);
}

TEST_F(Noise, IsInEmptyLaunchesThatVaryByMuchOfTheTime) {
  result.floor_p90 = 4.5e-6;
  EXPECT_EQ(noise(result), "an empty launch took 2.00 µs, in a tenth of its samples 4.50 µs or more");
  result.measurement.seconds = {std::vector<double>(20, 1e-3)};
  EXPECT_EQ(noise(result), "") << "a long row does not depend on it";
  result.measurement.seconds = {std::vector<double>(20, 1e-5)};
  result.measurement.waited = 0;
  EXPECT_EQ(noise(result), "") << "threads tell";
}

TEST_F(Noise, IsInSamplesWithALongTail) {
  result.measurement.seconds = {{1e-5, 1e-5, 1e-5, 1e-5}, {1e-5, 1e-5, 2e-5, 9e-5}};
  EXPECT_EQ(noise(result), "a tenth of its samples took 2.0 × the median or more");
}

TEST_F(Noise, NeedsATime) {
  result.measurement.waited = 0.9;
  result.status = Status::wrong;
  EXPECT_EQ(noise(result), "");
}

TEST_F(Noise, MarksRatiosOnBothSides) {
  std::vector<Result> results{result, result};
  results[0].cell = lab.add(fake::variant("fake", "naive"));
  VariantEntry better = fake::variant("fake", "better");
  better.improves = "naive";
  results[1].cell = lab.add(std::move(better));
  compare(results, {"fake"});
  EXPECT_FALSE(results[1].parent.value().noisy);
  EXPECT_EQ(field("over_parent").show(results[1]), "1.00 (naive)");
  results[0].measurement.waited = 0.9;
  compare(results, {"fake"});
  EXPECT_TRUE(results[1].parent.value().noisy);
  EXPECT_EQ(field("over_parent").show(results[1]), "~1.00 (naive)");
  EXPECT_EQ(to_json(results[1]).at("over_parent").at("noisy"), true);
  EXPECT_EQ(noise(results[1]), "") << "the other row is";
}

}  // namespace
}  // namespace crosswarp
