// Hidden arguments: LLVM's AMDGPU guide, "Code Object V5 Metadata".
#include "backends/hip/emulated/dispatch.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>

#include "core/error.hpp"

namespace crosswarp::amd_emulated {
namespace {

constexpr std::string_view variable = "CROSSWARP_AMD_EMULATOR";
constexpr int simds = 4, waves_per_simd = 8;
constexpr int registers_per_lane = 512, register_unit = 8;  // vector registers, which the waves of a SIMD share
constexpr std::uint16_t packet_of_kernel = 2, dimensions = 3;

/// Value of a hidden argument; nothing for one that is zero or that the host does not have.
std::optional<std::uint64_t> hidden_value(std::string_view kind, const Launch& launch) {
  const auto axis_of = [&](std::string_view stem) -> std::optional<std::size_t> {
    if (!kind.starts_with(stem) || kind.size() != stem.size() + 1) return {};
    return static_cast<std::size_t>(kind.back() - 'x');
  };
  if (const auto axis = axis_of("hidden_block_count_")) return launch.grid.at(*axis);
  if (const auto axis = axis_of("hidden_group_size_")) return launch.block.at(*axis);
  if (kind == "hidden_grid_dims") {
    for (std::size_t axis = dimensions; axis > 1; --axis)
      if (launch.grid[axis - 1] * launch.block[axis - 1] > 1) return axis;
    return 1;
  }
  if (kind == "hidden_dynamic_lds_size") return launch.dynamic_bytes;
  return {};
}

std::uint64_t count(const std::array<std::uint32_t, 3>& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

/// Blocks of the launch that are resident on the device at once.
std::uint32_t concurrent_blocks(const Kernel& kernel, const Launch& launch) {
  return static_cast<std::uint32_t>(compute_units) *
         static_cast<std::uint32_t>(
             resident_blocks(kernel, count(launch.block), kernel.group_bytes + launch.dynamic_bytes));
}

}  // namespace

Module load_module(const char* path, const char* visible) {
  const auto none = [](const std::string& why) { return Module{.why_none = fmt::format("{}: {}", variable, why)}; };
  if (!path)
    return {.why_none =
                fmt::format("set {} to a module that emulates their instruction set: docs/porting.md", variable)};
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return none(dlerror());
  const auto open = reinterpret_cast<decltype(&crosswarp_amd_open)>(dlsym(library, "crosswarp_amd_open"));
  if (!open) return none(fmt::format("{} does not export crosswarp_amd_open", path));
  const crosswarp_amd_emulator* const emulator = open();
  if (!emulator) return none(fmt::format("{} does not start", path));
  if (emulator->interface != crosswarp_amd_interface)
    return none(fmt::format("{} is for version {} of the interface, this build for {}", path, emulator->interface,
                            +crosswarp_amd_interface));
  Module module{.emulator = emulator};
  for (const char* const* each = emulator->architectures; *each; ++each) module.architectures.emplace_back(*each);
  if (!visible) return module;
  std::vector<std::string> chosen;
  for (char* end = nullptr; *visible != '\0'; visible = *end == ',' ? end + 1 : end) {
    const std::size_t index = std::strtoul(visible, &end, 10);
    if (end == visible || index >= module.architectures.size()) break;  // those before it count, as with AMD's runtime
    chosen.push_back(module.architectures[index]);
  }
  module.architectures = chosen;
  if (chosen.empty()) module.why_none = "HIP_VISIBLE_DEVICES names none of them";
  return module;
}

int resident_blocks(const Kernel& kernel, std::size_t threads, std::size_t group_bytes) {
  const auto waves = static_cast<int>((threads + wave_size - 1) / wave_size);
  const int registers =
      std::max(register_unit, (kernel.vector_registers + register_unit - 1) / register_unit * register_unit);
  const int by_waves = simds * std::min(waves_per_simd, registers_per_lane / registers) / std::max(1, waves);
  return group_bytes == 0 ? by_waves : std::min(by_waves, static_cast<int>(group_memory / group_bytes));
}

Dispatch prepare(const Kernel& kernel, const Launch& launch, const void* const* values) {
  const std::uint64_t threads = count(launch.block), blocks = count(launch.grid);
  const std::size_t group_bytes = kernel.group_bytes + launch.dynamic_bytes;
  if (threads == 0 || threads > kernel.max_threads)
    throw Error(fmt::format("a block of {} threads; the kernel is compiled for 1 to {}", threads, kernel.max_threads));
  if (blocks == 0 || launch.grid[1] > 65535 || launch.grid[2] > 65535 ||
      std::uint64_t{launch.grid[0]} * launch.block[0] >= std::uint64_t{1} << 32)
    throw Error(fmt::format("a grid of {} by {} by {} blocks", launch.grid[0], launch.grid[1], launch.grid[2]));
  if (group_bytes > group_memory)
    throw Error(fmt::format("{} bytes of LDS; a block has {}", group_bytes, group_memory));
  if (const auto most = concurrent_blocks(kernel, launch); launch.is_cooperative && blocks > most)
    throw Error(fmt::format("a cooperative grid of {} blocks; {} are resident at once", blocks, most));

  Dispatch dispatch{&kernel, launch, std::vector<std::byte>(kernel.kernarg_bytes)};
  const auto set = [&](const Kernel::Argument& argument, const void* value, std::size_t bytes) {
    if (argument.offset + bytes > dispatch.arguments.size())
      throw Error(kernel.name + " has an argument behind its segment");
    std::memcpy(dispatch.arguments.data() + argument.offset, value, bytes);
  };
  for (const Kernel::Argument& argument : kernel.arguments)
    if (!argument.kind.starts_with("hidden_"))
      set(argument, *values++, argument.size);
    else if (const auto value = hidden_value(argument.kind, launch))
      set(argument, &*value, std::min(argument.size, sizeof *value));  // little-endian here and there
  return dispatch;
}

void run(const Module& module, const std::string& architecture, const Dispatch& dispatch) {
  const auto& [kernel, launch, arguments] = dispatch;
  alignas(64) crosswarp_amd_packet packet{};
  packet.header = packet_of_kernel;
  packet.setup = dimensions;
  packet.workgroup_size_x = static_cast<std::uint16_t>(launch.block[0]);
  packet.workgroup_size_y = static_cast<std::uint16_t>(launch.block[1]);
  packet.workgroup_size_z = static_cast<std::uint16_t>(launch.block[2]);
  packet.grid_size_x = launch.grid[0] * launch.block[0];
  packet.grid_size_y = launch.grid[1] * launch.block[1];
  packet.grid_size_z = launch.grid[2] * launch.block[2];
  packet.private_segment_size = static_cast<std::uint32_t>(kernel->private_bytes);
  packet.group_segment_size = static_cast<std::uint32_t>(kernel->group_bytes + launch.dynamic_bytes);
  packet.kernel_object = reinterpret_cast<std::uint64_t>(kernel->descriptor);
  packet.kernarg_address = reinterpret_cast<std::uint64_t>(arguments.data());

  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const char* const why = module.emulator->run(architecture.c_str(), kernel->name.c_str(), &packet,
                                               std::max(1U, concurrent_blocks(*kernel, launch)));
  if (why) throw Error(fmt::format("{}: {}", kernel->name, why));
}

}  // namespace crosswarp::amd_emulated
