// Kept ceilings: a damaged file, and rates that no device has.
#include "core/ceilings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace crosswarp {
namespace {

class CeilingsTest : public testing::Test {
 protected:
  CeilingsTest() {
    device.name = "Abacus";
    device.compute_units = 2;
    Ceilings(file).replace(device, {{"cache", 1e12}, {"l1", 2e12}});
  }
  ~CeilingsTest() override { std::filesystem::remove(file); }

  /// Writes `rate` in place of the cache's.
  void damage(const std::string& rate) const {
    nlohmann::json all = nlohmann::json::parse(std::ifstream(file));
    (*(*all.begin()).begin())["cache"] = "RATE";
    std::string text = all.dump();
    std::ofstream(file) << text.replace(text.find("\"RATE\""), 6, rate);
  }

  const std::string file = testing::TempDir() + "crosswarp_kept_ceilings_" + std::to_string(getpid()) + ".json";
  DeviceInfo device;
};

TEST_F(CeilingsTest, BelieveWhatADeviceCanReach) {
  for (const char* rate : {"1e15", "1", "1e18"}) {
    damage(rate);
    EXPECT_EQ(Ceilings(file).rate(device, "cache"), std::stod(rate));
    EXPECT_EQ(Ceilings(file).problem(), "");
  }
}

TEST_F(CeilingsTest, LeaveOutRatesThatNoDeviceHas) {
  for (const char* rate : {"1e308", "1.1e18", "-1e12", "0", "null", "\"fast\"", "[1]"}) {
    damage(rate);
    const Ceilings kept(file);
    EXPECT_EQ(kept.rate(device, "cache"), 0) << rate;
    EXPECT_EQ(kept.rate(device, "l1"), 2e12) << rate;
    EXPECT_NE(kept.problem().find(" is no rate of a device (cache of Abacus, 2 units)"), std::string::npos)
        << kept.problem();
    EXPECT_EQ(kept.problem().find(file + ": "), 0u) << kept.problem();
    Ceilings(file).raise(device, "cache", 3e12);  // mends the file
    EXPECT_EQ(Ceilings(file).rate(device, "cache"), 3e12) << rate;
    EXPECT_EQ(Ceilings(file).problem(), "");
  }
}

TEST_F(CeilingsTest, LeaveOutADamagedFileAndReplaceIt) {
  for (const char* text : {"x", "NaN", "[]", "{\"here\": ", ""}) {
    std::ofstream(file) << text;
    EXPECT_EQ(Ceilings(file).rate(device, "l1"), 0);
    EXPECT_NE(Ceilings(file).problem(), "") << text;
    Ceilings(file).raise(device, "cache", 3e12);
    EXPECT_EQ(Ceilings(file).rate(device, "cache"), 3e12) << text;
  }
  damage("NaN");
  EXPECT_NE(Ceilings(file).problem().find("not JSON (line 1, column "), std::string::npos);
  EXPECT_EQ(Ceilings(file + ".none").problem(), "");
}

}  // namespace
}  // namespace crosswarp
