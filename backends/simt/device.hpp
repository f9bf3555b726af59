// The emulated GPU: memory of the host, and launches that run where they are called.
#pragma once

#include <cstdint>

#include "backends/simt/machine.hpp"
#include "core/device.hpp"

namespace crosswarp::simt {

/// For tests only: it refuses to time. Under AddressSanitizer, memory around buffers is poisoned.
class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(unsigned warp_size);

  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  std::size_t free_memory() const override;
  void fill(void* memory, unsigned char byte, std::size_t bytes) override;
  void read(void* to, const void* from, std::size_t bytes) override;
  void write(void* to, const void* from, std::size_t bytes) override;
  void forbid(void* memory, std::size_t bytes) override;
  /// The seed of the generated elements also orders the threads of later launches.
  void generate_elements(const TypedSpan& to, const Elements& elements) override;
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override;
  void permute(std::span<std::uint32_t> to, const Permutation& order) override;
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override;
  void synchronize() override {}
  double time(const Batch& batch) override;
  void launch_empty(bool) override {}
  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override;

  /// Thread order of the next launch.
  RandomStream next_order();

 private:
  RandomStream order_{1, 0};
  std::uint64_t launches_ = 0;
};

DeviceInfo emulated_device_info(unsigned warp_size);

}  // namespace crosswarp::simt
