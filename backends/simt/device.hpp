// The emulated GPU: memory of the host, and a stream whose work runs when somebody waits for it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "backends/simt/machine.hpp"
#include "core/device.hpp"

namespace crosswarp::simt {

/// For tests only: it refuses to time. Under AddressSanitizer, memory around buffers is poisoned.
class EmulatedDevice final : public Device {
 public:
  /// `rank`: its number among those of a group, for its name.
  explicit EmulatedDevice(unsigned warp_size, std::size_t rank = 0);

  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  std::size_t free_memory() const override;
  void fill(void* memory, unsigned char byte, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void note_change(std::span<const std::byte> memory, unsigned char byte, unsigned* seen) override;
  void read(void* to, const void* from, std::size_t bytes) override;
  void write(void* to, const void* from, std::size_t bytes) override;
  void forbid(void* memory, std::size_t bytes) override;
  /// The seed of the generated elements also orders the threads of later launches.
  void generate_elements(const TypedSpan& to, const Elements& elements) override;
  void generate_general(const TypedSpan& to, const GeneralNumbers& numbers) override;
  void permute(std::span<std::uint32_t> to, const Permutation& order) override;
  void chain(std::span<std::byte> memory, std::size_t stride, const Permutation& order, std::uint64_t origin) override;
  void reference_gemm(const Gemm& gemm, const TypedSpan& to) override;
  void reference_row_sums(const Lattice& elements, const LatticeRows& rows, const TypedSpan& to) override;
  using Device::compare;
  Comparison compare(std::span<const std::pair<TypedSpan, TypedSpan>> pairs, const ErrorBound& bound) override;
  /// Runs the work of all devices.
  void synchronize() override { run(); }
  double time(const Batch& batch) override;
  void launch_empty(bool) override {}
  double time_read(std::span<const std::byte> memory, std::size_t sweeps) override;

  /// Enqueues `thread` for each thread of a grid.
  void enqueue(Extent grid, Extent block, std::size_t shared_bytes, bool resident, std::function<void()> thread);

 private:
  /// Enqueues work that is not a kernel's.
  void enqueue(std::function<void()> work) { enqueue(1, 1, 0, false, std::move(work)); }

  Stream stream_;
  RandomStream order_{1, 0};
  std::uint64_t launches_ = 0;
};

DeviceInfo emulated_device_info(unsigned warp_size);

}  // namespace crosswarp::simt
