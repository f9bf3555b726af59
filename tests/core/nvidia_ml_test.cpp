// Telemetry, energy and settings of NVIDIA's GPUs, against a stub of NVML.
#include "backends/gpu/nvidia_ml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/stubs/nvml.hpp"

namespace crosswarp {
namespace {

using gpu::Nvml;
using Settings = std::map<std::string, std::string>;

constexpr const char* device = "0000:C1:00.0";

class NvidiaMl : public testing::Test {
 protected:
  NvidiaMl() {
    void* const library = dlopen(CROSSWARP_NVML, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    answers_ = static_cast<NvmlAnswers*>(dlsym(library, "stub"));
    *answers_ = {};
  }
  NvmlAnswers& answers() { return *answers_; }

 private:
  NvmlAnswers* answers_;
};

TEST_F(NvidiaMl, ReadsClockAndReasonsForThrottling) {
  const Nvml nvml(CROSSWARP_NVML);
  EXPECT_EQ(nvml.telemetry(device).clock, 1.98e9);
  EXPECT_EQ(nvml.telemetry(device).throttle, "");
  answers().throttle = 0x1 | 0x4 | 0x40;  // the first is an idle GPU's
  EXPECT_EQ(nvml.telemetry(device).throttle, "power cap, hardware thermal");
  EXPECT_EQ(nvml.driver_version(), "580.1");
}

TEST_F(NvidiaMl, ReadsTheEnergyCounterInJoules) {
  const Nvml nvml(CROSSWARP_NVML);
  EXPECT_EQ(nvml.energy(device), 5000);
  answers().energy_status = 3;
  EXPECT_FALSE(nvml.energy(device)) << "a GPU before Volta";
}

TEST_F(NvidiaMl, ReadsSettings) {
  const Nvml nvml(CROSSWARP_NVML);
  EXPECT_EQ(nvml.settings(device),
            (Settings{{"power_cap_w", "700"}, {"ecc", "on"}, {"pcie", "gen 5 x16"}, {"nvlinks", "4"}}));
  answers().ecc = 0;
  EXPECT_EQ(nvml.settings(device).at("ecc"), "off") << "the current mode, not the pending one";
  answers().ecc_status = 3;
  EXPECT_EQ(nvml.settings(device).at("ecc"), "none") << "not supported";
  answers().ecc_status = 999;
  EXPECT_FALSE(nvml.settings(device).contains("ecc"));
}

TEST_F(NvidiaMl, TellsTheUseByOthers) {
  const Nvml nvml(CROSSWARP_NVML);
  EXPECT_EQ(nvml.used_by_others(device), 0);
  answers().processes = 2;
  EXPECT_EQ(nvml.used_by_others(device), 0.3);
  answers().processes = 0;
  EXPECT_FALSE(nvml.used_by_others(device));
}

TEST_F(NvidiaMl, KnowsNothingOfAnotherDeviceOrWithoutALibrary) {
  answers().init = 1;
  const Nvml failed(CROSSWARP_NVML);
  answers() = {};
  const Nvml nvml(CROSSWARP_NVML), none("/no/such/library.so");
  for (const auto& [library, of] : {std::pair{&nvml, "0000:C2:00.0"}, {&none, device}, {&failed, device}}) {
    EXPECT_EQ(library->telemetry(of).clock, 0);
    EXPECT_FALSE(library->energy(of));
    EXPECT_FALSE(library->used_by_others(of));
    EXPECT_EQ(library->settings(of), Settings());
  }
  EXPECT_EQ(none.driver_version(), "");
}

}  // namespace
}  // namespace crosswarp
