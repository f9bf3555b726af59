// Energy of launches, on a fake device whose counter knows how much each launch takes.
#include "core/energy.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "core/fields.hpp"
#include "core/report.hpp"
#include "core/runner.hpp"
#include "tests/core/fake.hpp"

namespace crosswarp {
namespace {

using fake::Launch;

class EnergyTest : public testing::Test {
 protected:
  static constexpr double window = 0.06, of_launch = 2e-6, idle = 50, step = 0.004;  // s, J, W, s

  EnergyTest() {
    lab.device->joules = [this] { return idle * step * std::floor(seconds() / step) + of_launch * launched; };
    lab.device->state = [] { return Telemetry{1.5e9, ""}; };
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  Cell counted(const std::string& name) {
    return lab.add(fake::variant("fake", name,
                                 [this](const Launch& l) {
                                   launched += 1;
                                   l.fill();
                                 }),
                   fake::Fill::point(4));
  }
  Result measured(const Cell& cell) {
    std::vector<Result> results = runner.run({cell}, Mode::cold, {"fake"});
    runner.energy(results);
    return results.at(0);
  }

  double launched = 0;
  fake::Lab lab;
  Runner runner{{.seed = 3, .stop = {.min_samples = 8, .max_samples = 8, .placements = 1}, .energy_window = window}};

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

TEST_F(EnergyTest, IsThatOfTheLaunchesOfItsWindow) {
  const Result r = measured(counted("right"));
  ASSERT_TRUE(r.energy);
  const Energy& e = *r.energy;
  ASSERT_EQ(e.why_not, "");
  EXPECT_GE(e.seconds, window);
  const auto launches = static_cast<double>(e.launches);
  EXPECT_NEAR(e.joules * launches, e.watts * e.seconds, 1e-9);
  // The counter's steps are exact to one of them.
  EXPECT_NEAR(e.joules * launches - idle * e.seconds, of_launch * launches,
              1.5 * idle * step + 0.01 * of_launch * launches);
  EXPECT_NEAR(e.idle_watts, idle, 0.3 * idle);
  EXPECT_EQ(e.clock, 1.5e9);
  EXPECT_EQ(e.throttle, "");
  EXPECT_EQ(*r.bytes_per_joule(), 16 / e.joules);
  EXPECT_FALSE(r.flops_per_joule()) << "the problem needs none";
}

TEST_F(EnergyTest, NamesWhatSlowedTheDeviceDownInTheWindow) {
  lab.device->state = [n = 0]() mutable { return Telemetry{1e9, ++n % 2 ? "power cap, display clocks" : "power cap"}; };
  Result r = measured(counted("right"));
  EXPECT_EQ(r.energy.value().throttle, "display clocks, power cap");
  EXPECT_NE(energy_table({r}, {}).find("! fake/right"), std::string::npos) << energy_table({r}, {});
  lab.device->state = [] { return Telemetry{1e9, "display clocks"}; };
  r = measured(counted("cool"));
  EXPECT_EQ(r.energy.value().throttle, "display clocks");
  EXPECT_EQ(energy_table({r}, {}).find("! fake/cool"), std::string::npos);
}

TEST_F(EnergyTest, SaysWhyThereIsNone) {
  const Cell cell = counted("right");
  lab.device->joules = [] { return std::nullopt; };
  Result r = measured(cell);
  EXPECT_EQ(r.energy.value().why_not,
            "Fake 1 has no energy counter that is read: that of NVIDIA's GPUs from Volta on, by NVML");
  EXPECT_TRUE(r.time());
  EXPECT_EQ(energy_table({r}, {}), "");
  lab.device->joules = [] { return 17.0; };
  r = measured(cell);
  EXPECT_EQ(r.energy.value().why_not, "the device's energy counter stands still");
}

TEST_F(EnergyTest, IsNoneOfAWrongResult) {
  bool is_timed = false;
  const Cell cell = lab.add(fake::variant("fake", "wrong_later",
                                          [&](const Launch& l) {
                                            l.fill();
                                            if (is_timed) l.problem.args(l.set).out[2] += 1;
                                          }),
                            fake::Fill::point(4));
  std::vector<Result> results = runner.run({cell}, Mode::cold, {"fake"});
  is_timed = true;
  runner.energy(results);
  EXPECT_TRUE(results[0].energy.value().why_not.starts_with("wrong when its energy was measured: "));
  EXPECT_EQ(results[0].energy->joules, 0);
}

TEST_F(EnergyTest, IsTheSameWhenReadAgain) {
  Result r = measured(counted("right"));
  r.measurement.after.throttle = "software thermal";
  const Json json = to_json(r);
  EXPECT_EQ(json.at("throttled"), "software thermal");
  EXPECT_EQ(json.at("joules"), r.energy->joules);
  EXPECT_EQ(json.at("energy").at("clock_mhz"), 1500);
  const Json again = to_json(from_json(json, r.cell));
  for (const char* name : {"energy", "joules", "watts", "bytes_per_joule", "throttled"})
    EXPECT_EQ(again.at(name), json.at(name)) << name;
  r.energy = Energy();
  r.energy->why_not = "no counter";
  EXPECT_EQ(from_json(to_json(r), r.cell).energy.value().why_not, "no counter");
  r.energy.reset();
  EXPECT_FALSE(to_json(r).contains("joules"));
}

TEST(Throttling, IsByPowerOrHeatOrOtherwise) {
  for (const char* reason : {"power cap", "power brake", "hardware thermal", "software thermal", "hardware slowdown",
                             "power at its cap", "sync boost, power cap"})
    EXPECT_TRUE(is_by_power_or_heat(reason)) << reason;
  for (const char* reason : {"", "sync boost", "display clocks"}) EXPECT_FALSE(is_by_power_or_heat(reason)) << reason;
}

}  // namespace
}  // namespace crosswarp
