// Defaults of Device, and bandwidth measurements.
#include "core/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/buffer.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"

namespace crosswarp {

void DeviceInfo::set_features(const std::vector<std::string>& of_device, const std::vector<std::string>& of_code) {
  features.clear();
  not_compiled.clear();
  for (const std::string& feature : of_device)
    (std::ranges::find(of_code, feature) == of_code.end() ? not_compiled : features).push_back(feature);
}

std::string DeviceInfo::lack_of(std::string_view feature) const {
  if (std::ranges::find(not_compiled, feature) == not_compiled.end())
    return fmt::format("needs {}, which {} ({}) lacks", feature, name, architecture);
  return fmt::format("needs {}, which this build's code for {} lacks: {}", feature, name, how_to_compile);
}

Counters Device::count(const std::vector<const Counter*>&, const std::function<void()>&, bool, const ProfiledProcess&) {
  return {.counts = {}, .kernels = {}, .why_not = info_.name + " has no readable counters"};
}

std::function<void()> Device::capture(const std::function<void(std::size_t)>&, std::size_t) {
  throw Error("cannot be captured: " + info_.name + " has no graphs");
}

void Device::start(const Batch&) { throw Error(info_.name + " cannot be timed as a rank"); }
void Device::stop() { throw Error(info_.name + " cannot be timed as a rank"); }
double Device::finish(const Batch&) { throw Error(info_.name + " cannot be timed as a rank"); }

SharedMemory Device::share(const void*) { throw Error(info_.name + " cannot share its memory with other processes"); }
void* Device::map_shared(const SharedMemory&) { throw Error(info_.name + " cannot map memory of other processes"); }

void* Device::allocate_on_host(std::size_t bytes) {
  void* const memory = std::aligned_alloc(256, std::max<std::size_t>(1, (bytes + 255) / 256) * 256);
  if (!memory) throw Error("the host has no " + std::to_string(bytes >> 20) + " MiB of memory left");
  return memory;
}

void Device::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

void Device::note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen) {
  if (has_changed(memory, byte)) *seen = 1;
}

bool Device::has_changed(std::span<const std::byte> memory, unsigned char byte) {
  return std::any_of(memory.begin(), memory.end(), [&](std::byte b) { return b != std::byte{byte}; });
}

/// By read(), which may look at what is forbidden to launches.
bool Device::any_has_changed(std::span<const std::span<const std::byte>> pieces, unsigned char byte) {
  std::vector<std::byte> host;
  return std::ranges::any_of(pieces, [&](const auto& piece) {
    host.resize(piece.size());
    read(host.data(), piece.data(), piece.size());
    return std::ranges::any_of(host, [&](std::byte b) { return b != std::byte{byte}; });
  });
}

void Device::release_on_host(void* memory) noexcept { std::free(memory); }

std::uint64_t Device::checksum(std::span<const float> on_device) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::vector<std::uint32_t> host(std::min(piece, on_device.size()));
  std::uint64_t weighted = 0;
  for (std::size_t first = 0; first < on_device.size(); first += piece) {
    const std::size_t count = std::min(piece, on_device.size() - first);
    read(host.data(), on_device.data() + first, count * sizeof(float));
#pragma omp parallel for reduction(+ : weighted) schedule(static)
    for (std::size_t i = 0; i < count; ++i) weighted += host[i] * checksum_weight(first + i);
  }
  return weighted;
}

void Device::reference_gemm(const Gemm& gemm, const TypedSpan& to) { crosswarp::reference_gemm(gemm, to); }

void Device::reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to) {
  crosswarp::reference_row_sums(elements, rows, to);
}

Comparison Device::compare(std::span<const std::pair<TypedSpan, TypedSpan>> pairs, const ErrorBound& bound) {
  Comparison found;
  std::size_t first = 0;
  for (const auto& [actual, reference] : pairs) {
    found.add(compare_elements(actual, reference, bound), first);
    first += size(actual);
  }
  return found;
}

double measure_read_bandwidth(Device& device) {
  constexpr int reads = 8;
  const DeviceInfo& info = device.info();
  const std::size_t bytes =
      std::min(std::max(std::size_t{1} << 28, std::min(64 * info.cache, info.memory / 32)), device.free_memory() / 4);
  Buffer<float> set(device, bytes / sizeof(float));
  device.generate(set.span(), Lattice{RandomStream(0, 0), 16});
  double best = 0;
  for (int i = 0; i < reads; ++i)
    best = std::max(best, static_cast<double>(bytes) / device.time_read(std::as_bytes(set.span())));
  return best;
}

double measure_cache_bandwidth(Device& device) {
  constexpr int tries = 4;
  constexpr std::size_t bytes_in_all = std::size_t{1} << 26;
  const std::size_t units = static_cast<std::size_t>(std::max(1, device.info().compute_units));
  double best = 0;
  for (const std::size_t of_unit : {std::size_t{16} << 10, std::size_t{256} << 10}) {
    Buffer<float> set(device, units * of_unit / sizeof(float));
    device.generate(set.span(), Lattice{RandomStream(0, 0), 16});
    const std::size_t bytes = set.bytes().size(), sweeps = std::max<std::size_t>(1, bytes_in_all / bytes);
    for (int i = 0; i < tries; ++i)
      best = std::max(best, static_cast<double>(bytes * sweeps) / device.time_read(set.bytes(), sweeps));
  }
  return best;
}

}  // namespace crosswarp
