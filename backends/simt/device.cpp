// An emulated GPU is as small as a kernel's grid allows: few multiprocessors, so that grids that fill it are short.
#include "backends/simt/device.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.hpp"
#include "core/host_device.hpp"

#if defined(CROSSWARP_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace crosswarp::simt {
namespace {

constexpr std::size_t memory_size = std::size_t{1} << 30;

[[noreturn]] void refuse_to_time() { throw Error("an emulation is for correctness; its times say nothing"); }

}  // namespace

DeviceInfo emulated_device_info(unsigned warp_size) {
  DeviceInfo info;
  info.key = "emulated" + std::to_string(warp_size);
  info.name = "emulated GPU, warps of " + std::to_string(warp_size);
  info.architecture = "simt";
  info.memory = memory_size;
  info.compute_units = 2;
  info.threads_per_unit = 1024;
  info.warp_size = static_cast<int>(warp_size);
  info.emulated = true;
  return info;
}

EmulatedDevice::EmulatedDevice(unsigned warp_size) : Device(emulated_device_info(warp_size)) {}

void* EmulatedDevice::allocate(std::size_t bytes) {
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory) throw Error("the host has no " + std::to_string(bytes >> 20) + " MiB of memory left");
  return memory;
}

void EmulatedDevice::release(void* memory) noexcept { std::free(memory); }

std::size_t EmulatedDevice::free_memory() const { return std::min(open_host_device()->free_memory(), memory_size); }

void EmulatedDevice::fill(void* memory, unsigned char byte, std::size_t bytes) { std::memset(memory, byte, bytes); }

/// Reads what is forbidden to kernels, too: byte by byte, since a sanitizer watches memcpy even from here.
void EmulatedDevice::read(void* to, const void* from, std::size_t bytes) {
  const auto* const source = static_cast<const volatile unsigned char*>(from);
  for (std::size_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(to)[i] = source[i];
}

#if defined(CROSSWARP_ASAN)
void EmulatedDevice::forbid(void* memory, std::size_t bytes) { __asan_poison_memory_region(memory, bytes); }
#else
void EmulatedDevice::forbid(void*, std::size_t) {}
#endif

void EmulatedDevice::generate_elements(const TypedSpan& to, const Elements& elements) {
  fill_elements(to, elements);
  order_ = elements.lattice.random;
}

void EmulatedDevice::generate_general(const TypedSpan& to, const GeneralNumbers& numbers) {
  fill_general(to, numbers);
  order_ = numbers.random;
}

void EmulatedDevice::write(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

void EmulatedDevice::permute(std::span<std::uint32_t> to, const Permutation& order) { fill_permutation(to, order); }

void EmulatedDevice::chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order,
                           std::uint64_t origin) {
  fill_chain(memory, stride, order, origin);
}

double EmulatedDevice::time(const Batch&) { refuse_to_time(); }
double EmulatedDevice::time_read(std::span<const std::byte>, std::size_t) { refuse_to_time(); }

RandomStream EmulatedDevice::next_order() { return {order_.key, ++launches_}; }

}  // namespace crosswarp::simt
