// NVIDIA Management Library, https://docs.nvidia.com/deploy/nvml-api: signatures as in nvml.h of CUDA 12.4 and 13.0.
#include "backends/gpu/nvidia_ml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <type_traits>
#include <utility>

namespace crosswarp::gpu {
namespace {

constexpr unsigned max_links = 18;  // NVML_NVLINK_MAX_LINKS

}  // namespace

Nvml::Nvml(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  ready_ = load(init_, "nvmlInit_v2") && load(device_by_bus_, "nvmlDeviceGetHandleByPciBusId_v2") &&
           load(clock_, "nvmlDeviceGetClockInfo") && load(driver_, "nvmlSystemGetDriverVersion") && init_() == 0;
  if (!load(throttle_, "nvmlDeviceGetCurrentClocksEventReasons"))
    load(throttle_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  load(processes_, "nvmlDeviceGetComputeRunningProcesses_v3");
  load(utilization_, "nvmlDeviceGetUtilizationRates");
  load(energy_, "nvmlDeviceGetTotalEnergyConsumption");
  load(power_cap_, "nvmlDeviceGetPowerManagementLimit");
  load(ecc_, "nvmlDeviceGetEccMode");
  load(pcie_generation_, "nvmlDeviceGetMaxPcieLinkGeneration");
  load(pcie_width_, "nvmlDeviceGetMaxPcieLinkWidth");
  load(nvlink_, "nvmlDeviceGetNvLinkState");
  load(link_peer_type_, "nvmlDeviceGetNvLinkRemoteDeviceType");
  load(link_peer_, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
  load(pci_info_, "nvmlDeviceGetPciInfo_v3");
  load(common_ancestor_, "nvmlDeviceGetTopologyCommonAncestor");
}

Nvml::Handle Nvml::device(const std::string& pci_bus_id) const {
  Handle device = nullptr;
  return ready_ && device_by_bus_(pci_bus_id.c_str(), &device) == 0 ? device : nullptr;
}

Telemetry Nvml::telemetry(const std::string& pci_bus_id) const {
  constexpr unsigned sm_clock = 1;
  constexpr std::array<std::pair<unsigned long long, const char*>, 7> reasons{{{0x4, "power cap"},
                                                                               {0x8, "hardware slowdown"},
                                                                               {0x10, "sync boost"},
                                                                               {0x20, "software thermal"},
                                                                               {0x40, "hardware thermal"},
                                                                               {0x80, "power brake"},
                                                                               {0x100, "display clocks"}}};
  Telemetry now;
  const Handle of = device(pci_bus_id);
  if (!of) return now;
  unsigned megahertz = 0;
  if (clock_(of, sm_clock, &megahertz) == 0) now.clock = megahertz * 1e6;
  unsigned long long mask = 0;
  if (throttle_ && throttle_(of, &mask) == 0)
    for (const auto& [bit, reason] : reasons)
      if (mask & bit) now.throttle += (now.throttle.empty() ? "" : ", ") + std::string(reason);
  return now;
}

/// The device's utilization is of all processes: it is that of others only if there are any. Containers may hide them.
std::optional<double> Nvml::used_by_others(const std::string& pci_bus_id) const {
  constexpr int insufficient_size = 7;  // with room for none: the number of processes is told nevertheless
  const Handle of = device(pci_bus_id);
  if (!of || !processes_ || !utilization_) return {};
  unsigned processes = 0;
  const int answer = processes_(of, &processes, nullptr);
  if ((answer != 0 && answer != insufficient_size) || processes == 0) return {};
  if (processes == 1) return 0.0;  // this one
  Utilization used{};
  if (utilization_(of, &used) != 0) return {};
  return used.gpu / 100.0;
}

std::optional<double> Nvml::energy(const std::string& pci_bus_id) const {
  const Handle of = device(pci_bus_id);
  unsigned long long millijoules = 0;
  if (!of || !energy_ || energy_(of, &millijoules) != 0) return {};
  return static_cast<double>(millijoules) * 1e-3;
}

std::map<std::string, std::string> Nvml::settings(const std::string& pci_bus_id) const {
  std::map<std::string, std::string> known;
  const Handle of = device(pci_bus_id);
  if (!of) return known;
  unsigned milliwatts = 0, generation = 0, width = 0;
  if (power_cap_ && power_cap_(of, &milliwatts) == 0) known["power_cap_w"] = fmt::format("{:.0f}", milliwatts * 1e-3);
  constexpr int not_supported = 3;
  int is_on = 0, will_be = 0;
  if (const int answer = ecc_ ? ecc_(of, &is_on, &will_be) : -1; answer == 0 || answer == not_supported)
    known["ecc"] = answer == not_supported ? "none" : is_on ? "on" : "off";
  if (pcie_generation_ && pcie_width_ && pcie_generation_(of, &generation) == 0 && pcie_width_(of, &width) == 0)
    known["pcie"] = fmt::format("gen {} x{}", generation, width);
  unsigned links = 0;
  for (unsigned link = 0; nvlink_ && link < max_links; ++link)
    if (int is_active = 0; nvlink_(of, link, &is_active) == 0 && is_active) ++links;
  if (nvlink_) known["nvlinks"] = std::to_string(links);
  return known;
}

std::string Nvml::link_between(const std::string& pci_bus_id, const std::string& peer) const {
  constexpr int remote_gpu = 0, remote_switch = 2;  // nvmlIntNvLinkDeviceType_t
  constexpr std::array<std::pair<int, const char*>, 6> ancestors{
      {{0, "on one board"}, {10, "PIX"}, {20, "PXB"}, {30, "PHB"}, {40, "NODE"}, {50, "SYS"}}};
  const Handle own = device(pci_bus_id), other = device(peer);
  if (!own || !other) return {};
  PciInfo at{}, remote{};
  unsigned links = 0;
  if (nvlink_ && link_peer_type_ && link_peer_ && pci_info_ && pci_info_(other, &at) == 0)
    for (unsigned link = 0; link < max_links; ++link) {
      int is_active = 0, type = 0;
      if (nvlink_(own, link, &is_active) != 0 || is_active == 0) continue;
      if (link_peer_type_(own, link, &type) != 0) continue;
      if (type == remote_switch)
        ++links;
      else if (type == remote_gpu && link_peer_(own, link, &remote) == 0)
        links += remote.domain == at.domain && remote.bus == at.bus && remote.device == at.device;
    }
  if (links > 0) return fmt::format("NV{}", links);
  int level = 0;
  if (common_ancestor_ && common_ancestor_(own, other, &level) == 0)
    for (const auto& [of, name] : ancestors)
      if (of == level) return name;
  return {};
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (!ready_ || driver_(text.data(), text.size()) != 0) return {};
  return text.data();
}

}  // namespace crosswarp::gpu
