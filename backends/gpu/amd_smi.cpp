// ROCm SMI, https://rocm.docs.amd.com/projects/rocm_smi_lib: signatures as in its header of 5.2.3 and of 6.4.1.
#include "backends/gpu/amd_smi.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace crosswarp::gpu {
namespace {

/// The current one of a rsmi_frequencies_t. Its layout is, up to ROCm 5, {u32 count, u32 current, u64 frequency[]};
/// from ROCm 6 on a flag comes first: {bool, u32 count, u32 current, u64 frequency[]}. The second has an index below
/// 2^32 where the first has a frequency in Hz. Nothing for what fits neither.
std::optional<double> current_frequency(const std::byte* answer) {
  const auto at = [&]<class T>(std::size_t offset, T value) {
    std::memcpy(&value, answer + offset, sizeof value);
    return value;
  };
  constexpr std::uint64_t least = 1'000'000, most = 20'000'000'000;  // Hz
  const auto read = [&](std::size_t begin, std::size_t frequencies) -> std::optional<double> {
    const auto count = at(begin, std::uint32_t{}), current = at(begin + 4, std::uint32_t{});
    if (count == 0 || count > 33 || current >= count) return {};
    const auto frequency = at(frequencies + 8 * current, std::uint64_t{});
    if (frequency < least || frequency > most) return {};
    return static_cast<double>(frequency);
  };
  const bool has_flag = at(8, std::uint64_t{}) < least;
  return has_flag ? read(4, 16) : read(0, 8);
}

}  // namespace

std::vector<std::string> RocmSmi::known_libraries() {
  return {"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5", "librocm_smi64.so.1", "librocm_smi64.so"};
}

RocmSmi::RocmSmi(const std::vector<std::string>& libraries) {
  void* library = nullptr;
  for (const std::string& name : libraries)
    if (!library) library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  ready_ = load(init_, "rsmi_init") && load(count_, "rsmi_num_monitor_devices") &&
           load(pci_id_, "rsmi_dev_pci_id_get") && load(frequencies_, "rsmi_dev_gpu_clk_freq_get") && init_(0) == 0;
  load(average_power_, "rsmi_dev_power_ave_get");
  load(any_power_, "rsmi_dev_power_get");
  load(power_cap_, "rsmi_dev_power_cap_get");
}

/// The library's id has the domain from bit 32 on, the bus from 8, the device from 3, the function from 0; bits 28 to
/// 31 are of a partition of the GPU (ROCm 6), which has no address of its own.
std::optional<std::uint32_t> RocmSmi::index_of(std::string_view pci_bus_id) const {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
  if (std::sscanf(std::string(pci_bus_id).c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4) return {};
  const std::uint64_t wanted = std::uint64_t{domain} << 32 | bus << 8 | device << 3 | function;
  std::uint32_t devices = 0;
  if (count_(&devices) != 0) return {};
  for (std::uint32_t i = 0; i < devices; ++i) {
    std::uint64_t id = 0;
    if (pci_id_(i, &id) == 0 && (id & ~std::uint64_t{0xf0000000}) == wanted) return i;
  }
  return {};
}

std::optional<double> RocmSmi::clock(std::uint32_t device) const {
  constexpr int system_clock = 0;                   // RSMI_CLK_TYPE_SYS: of the compute units
  alignas(8) std::array<std::byte, 1024> answer{};  // rsmi_frequencies_t has 280 bytes at most so far
  if (frequencies_(device, system_clock, answer.data()) != 0) return {};
  return current_frequency(answer.data());
}

/// MI300 has no average, but the present power of the socket.
std::optional<double> RocmSmi::power(std::uint32_t device) const {
  std::uint64_t microwatts = 0;
  int kind = 0;
  if (any_power_ && any_power_(device, &microwatts, &kind) == 0 && microwatts > 0) return microwatts * 1e-6;
  if (average_power_ && average_power_(device, 0, &microwatts) == 0 && microwatts > 0) return microwatts * 1e-6;
  return {};
}

Telemetry RocmSmi::telemetry(std::string_view pci_bus_id) const {
  Telemetry now;
  if (!ready_) return now;
  const auto device = index_of(pci_bus_id);
  if (!device) return now;
  now.clock = clock(*device).value_or(0);
  const auto watts = power(*device), cap = power_cap(pci_bus_id);
  if (watts && cap && *watts >= 0.99 * *cap) now.throttle = "power at its cap";
  return now;
}

std::optional<double> RocmSmi::power_cap(std::string_view pci_bus_id) const {
  const auto device = ready_ ? index_of(pci_bus_id) : std::nullopt;
  std::uint64_t microwatts = 0;
  if (!device || !power_cap_ || power_cap_(*device, 0, &microwatts) != 0 || microwatts == 0) return {};
  return microwatts * 1e-6;
}

}  // namespace crosswarp::gpu
