// Telemetry of AMD's GPUs, against stubs of ROCm SMI's library in both of its layouts.
#include "backends/gpu/amd_smi.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/stubs/rocm_smi.hpp"

namespace crosswarp {
namespace {

using gpu::RocmSmi;

class AmdSmi : public testing::TestWithParam<const char*> {
 protected:
  AmdSmi() {
    void* const library = dlopen(GetParam(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    answers_ = static_cast<RocmSmiAnswers*>(dlsym(library, "stub"));
    *answers_ = {};
  }
  RocmSmiAnswers& answers() { return *answers_; }
  static Telemetry read(const char* pci_bus_id = "0001:83:00.0") {
    return RocmSmi({"/no/such/library.so", GetParam()}).telemetry(pci_bus_id);
  }

 private:
  RocmSmiAnswers* answers_;
};

TEST_P(AmdSmi, ReadsTheCurrentClock) {
  EXPECT_EQ(read().clock, 1.7e9);
  answers().current = 2;
  EXPECT_EQ(read().clock, 2.1e9);
  EXPECT_EQ(read().throttle, "");
}

TEST_P(AmdSmi, FindsTheDeviceByItsAddress) {
  EXPECT_EQ(read("0000:41:00.0").clock, 0) << "the stub's first device has no clock";
  EXPECT_EQ(read("0000:83:00.0").clock, 0) << "another domain";
  EXPECT_EQ(read("nonsense").clock, 0);
  answers().pci_ids[1] |= std::uint64_t{3} << 28;
  EXPECT_EQ(read().clock, 1.7e9) << "a partition has its GPU's address";
}

TEST_P(AmdSmi, HasNoClockWhereTheAnswerIsNotPlausible) {
  answers().current = 3;
  EXPECT_EQ(read().clock, 0) << "an index behind the last";
  answers() = {.current = 0xffffffff};
  EXPECT_EQ(read().clock, 0) << "the library's word for none";
  answers() = {.count = 0};
  EXPECT_EQ(read().clock, 0);
  answers() = {.frequencies = {500'000'000, 17, 2'100'000'000}};
  EXPECT_EQ(read().clock, 0);
  answers() = {.clock_status = 2};
  EXPECT_EQ(read().clock, 0);
  answers() = {.init = 8};
  EXPECT_EQ(read().clock, 0);
}

TEST_P(AmdSmi, TellsWherePowerIsAtItsCap) {
  answers().average_power = 749'000'000;
  EXPECT_EQ(read().throttle, "power at its cap");
  answers().average_power = 700'000'000;
  EXPECT_EQ(read().throttle, "");
  answers() = {.average_power = 0, .power_cap = 0};
  EXPECT_EQ(read().throttle, "") << "neither is known";
}

TEST_P(AmdSmi, TellsThePowerCap) {
  const RocmSmi smi({GetParam()});
  EXPECT_EQ(smi.power_cap("0001:83:00.0"), 750);
  EXPECT_FALSE(smi.power_cap("0000:83:00.0"));
  answers().power_cap = 0;
  EXPECT_FALSE(smi.power_cap("0001:83:00.0"));
}

TEST_P(AmdSmi, WithoutALibraryHasNoTelemetry) {
  const Telemetry none = RocmSmi({"/no/such/library.so"}).telemetry("0001:83:00.0");
  EXPECT_EQ(none.clock, 0);
  EXPECT_EQ(none.throttle, "");
}

INSTANTIATE_TEST_SUITE_P(Layouts, AmdSmi, testing::Values(CROSSWARP_ROCM_SMI_5, CROSSWARP_ROCM_SMI_6),
                         [](const auto& info) { return info.index == 0 ? "Rocm5" : "Rocm6"; });

/// MI300 tells the socket's power, and no average.
TEST(AmdSmiOfRocm6, TakesTheSocketsPower) {
  auto* const answers = static_cast<RocmSmiAnswers*>(dlsym(dlopen(CROSSWARP_ROCM_SMI_6, RTLD_NOW), "stub"));
  *answers = {.average_power = 0, .socket_power = 750'000'000};
  EXPECT_EQ(RocmSmi({CROSSWARP_ROCM_SMI_6}).telemetry("0001:83:00.0").throttle, "power at its cap");
}

}  // namespace
}  // namespace crosswarp
