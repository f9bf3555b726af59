// Launches of kernels from code objects by an emulator of the instruction set, and the device that it stands for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/hip/emulated/code_object.hpp"
#include "backends/hip/emulated/emulator.h"

namespace crosswarp::amd_emulated {

// The device is as small as kernels allow, so that grids that fill it are short. Of a compute unit: CDNA's.
constexpr int compute_units = 2;
constexpr int wave_size = 64;
constexpr int threads_per_unit = 2048;
constexpr int max_threads = 1024;  ///< Of a block.
constexpr std::size_t group_memory = std::size_t{64} << 10;

/// An emulator's module, loaded for the rest of the program's life.
struct Module {
  const crosswarp_amd_emulator* emulator = nullptr;
  std::vector<std::string> architectures{};  ///< A device each.
  std::string why_none{};                    ///< One line where there are none.
};

/// `path`: the value of CROSSWARP_AMD_EMULATOR. `visible`: that of HIP_VISIBLE_DEVICES, indices separated by commas.
/// Null where they are not set.
Module load_module(const char* path, const char* visible);

struct Launch {
  std::array<std::uint32_t, 3> grid, block;  ///< Blocks; threads.
  std::size_t dynamic_bytes = 0;             ///< LDS beside the kernel's own.
  bool is_cooperative = false;
};

/// Blocks of `threads` threads with `group_bytes` of LDS that fit on a compute unit at once.
int resident_blocks(const Kernel& kernel, std::size_t threads, std::size_t group_bytes);

/// A launch with its arguments, ready to run any number of times.
struct Dispatch {
  const Kernel* kernel;
  Launch launch;
  std::vector<std::byte> arguments;  ///< The kernarg segment.
};

/// `values[i]` points to the kernel's i-th argument; hidden ones come from the launch. Throws Error for a launch that
/// the device refuses.
Dispatch prepare(const Kernel& kernel, const Launch& launch, const void* const* values);

/// Runs to the end. Throws Error with the emulator's message.
void run(const Module& module, const std::string& architecture, const Dispatch& dispatch);

}  // namespace crosswarp::amd_emulated
