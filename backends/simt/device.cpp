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

EmulatedDevice::EmulatedDevice(unsigned warp_size, std::size_t rank)
    : Device(emulated_device_info(warp_size)), stream_("rank " + std::to_string(rank)) {}

void* EmulatedDevice::allocate(std::size_t bytes) {
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory) throw Error("the host has no " + std::to_string(bytes >> 20) + " MiB of memory left");
  return memory;
}

/// As on a GPU, after all work.
void EmulatedDevice::release(void* memory) noexcept {
  try {
    synchronize();
  } catch (...) {  // dropped the work
  }
  std::free(memory);
}

std::size_t EmulatedDevice::free_memory() const { return std::min(open_host_device()->free_memory(), memory_size); }

void EmulatedDevice::enqueue(Extent grid, Extent block, std::size_t shared_bytes, bool resident,
                             std::function<void()> thread) {
  const RandomStream order(order_.key, ++launches_);
  stream_.enqueue({grid, block, shared_bytes, static_cast<unsigned>(info_.warp_size), order, resident},
                  std::move(thread));
}

void EmulatedDevice::fill(void* memory, unsigned char byte, std::size_t bytes) {
  if (bytes > 0) enqueue([=] { std::memset(memory, byte, bytes); });
}

void EmulatedDevice::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) enqueue([=] { std::memcpy(to, from, bytes); });
}

void EmulatedDevice::note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen) {
  enqueue([=, this] { Device::note_change(memory, byte, seen); });
}

/// Reads what is forbidden to kernels, too: byte by byte, since a sanitizer watches memcpy even from here.
void EmulatedDevice::read(void* to, const void* from, std::size_t bytes) {
  synchronize();
  const auto* const source = static_cast<const volatile unsigned char*>(from);
  for (std::size_t i = 0; i < bytes; ++i) static_cast<unsigned char*>(to)[i] = source[i];
}

#if defined(CROSSWARP_ASAN)
void EmulatedDevice::forbid(void* memory, std::size_t bytes) {
  synchronize();
  __asan_poison_memory_region(memory, bytes);
}
#else
void EmulatedDevice::forbid(void*, std::size_t) {}
#endif

// Inputs and references are made between launches, on all cores.

void EmulatedDevice::generate_elements(const TypedSpan& to, const Elements& elements) {
  synchronize();
  fill_elements(to, elements);
  order_ = elements.lattice.random;
}

void EmulatedDevice::generate_general(const TypedSpan& to, const GeneralNumbers& numbers) {
  synchronize();
  fill_general(to, numbers);
  order_ = numbers.random;
}

void EmulatedDevice::write(void* to, const void* from, std::size_t bytes) {
  synchronize();
  std::memcpy(to, from, bytes);
}

void EmulatedDevice::permute(std::span<std::uint32_t> to, const Permutation& order) {
  synchronize();
  fill_permutation(to, order);
}

void EmulatedDevice::chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order,
                           std::uint64_t origin) {
  synchronize();
  fill_chain(memory, stride, order, origin);
}

void EmulatedDevice::reference_gemm(const Gemm& gemm, const TypedSpan& to) {
  synchronize();
  Device::reference_gemm(gemm, to);
}

void EmulatedDevice::reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to) {
  synchronize();
  Device::reference_row_sums(elements, rows, to);
}

Comparison EmulatedDevice::compare(std::span<const std::pair<TypedSpan, TypedSpan>> pairs, const ErrorBound& bound) {
  synchronize();
  return Device::compare(pairs, bound);
}

double EmulatedDevice::time(const Batch&) { refuse_to_time(); }
double EmulatedDevice::time_read(std::span<const std::byte>, std::size_t) { refuse_to_time(); }

}  // namespace crosswarp::simt
