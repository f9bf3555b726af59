// NVML with made-up answers, which tests write into `stub`.
#include "tests/stubs/nvml.hpp"

#include <cstdio>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT crosswarp::NvmlAnswers stub;
crosswarp::NvmlAnswers stub;

namespace {

constexpr int not_supported = 3, not_found = 6, insufficient_size = 7;
char the_device;

}  // namespace

EXPORT int nvmlInit_v2() { return stub.init; }
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  if (std::strcmp(id, "0000:C1:00.0") != 0) return not_found;
  *device = &the_device;
  return 0;
}
EXPORT int nvmlDeviceGetClockInfo(void*, unsigned kind, unsigned* megahertz) {
  *megahertz = stub.clock;
  return kind == 1 ? 0 : not_supported;
}
EXPORT int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  *reasons = stub.throttle;
  return 0;
}
EXPORT int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  std::snprintf(text, size, "580.1");
  return 0;
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void*) {
  *count = stub.processes;
  return stub.processes > 0 ? insufficient_size : 0;
}
EXPORT int nvmlDeviceGetUtilizationRates(void*, void* rates) {
  std::memcpy(rates, &stub.used, sizeof stub.used);
  return 0;
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  *millijoules = stub.energy;
  return stub.energy_status;
}
EXPORT int nvmlDeviceGetPowerManagementLimit(void*, unsigned* milliwatts) {
  *milliwatts = stub.power_cap;
  return 0;
}
EXPORT int nvmlDeviceGetEccMode(void*, int* current, int* pending) {
  *current = stub.ecc;
  *pending = 1 - stub.ecc;
  return stub.ecc_status;
}
EXPORT int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  *generation = 5;
  return 0;
}
EXPORT int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* width) {
  *width = 16;
  return 0;
}
EXPORT int nvmlDeviceGetNvLinkState(void*, unsigned link, int* is_active) {
  *is_active = link < stub.links;
  return link < 18 ? 0 : not_supported;
}
