// Device memory between guard bands, with poison: out-of-bounds and missing writes show.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"

namespace crosswarp {

/// Byte of guard bands and poison: NaN in every floating-point type, -1 in every integer. A result that includes it is
/// wrong.
inline constexpr unsigned char poison_byte = 0xff;

/// `count` elements on a device, between two guard bands. Move-only; the device must outlive it.
template <class T>
class Buffer {
 public:
  Buffer() = default;

  /// Uninitialised. `misalignment`: offset of the first element from an aligned address, in elements.
  Buffer(Device& device, std::size_t count, std::size_t misalignment = 0)
      : device_(&device), count_(count), front_(guard + misalignment * sizeof(T)) {
    if (count > (std::numeric_limits<std::size_t>::max() - front_ - guard) / sizeof(T))
      throw Error("a buffer of this many elements exceeds the address space");
    memory_ = static_cast<std::byte*>(device.allocate(bytes_in_all()));
    try {
      for (const auto& [band, bytes] : {std::pair(memory_, front_), std::pair(back(), guard)}) {
        device.fill(band, poison_byte, bytes);
        device.forbid(band, bytes);
      }
    } catch (...) {
      device.release(memory_);
      throw;
    }
  }
  ~Buffer() {
    if (memory_) device_->release(memory_);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }

  /// Device memory; not accessible to the host unless the device is the host.
  std::span<T> span() const { return {reinterpret_cast<T*>(memory_ + front_), count_}; }
  std::span<std::byte> bytes() const { return std::as_writable_bytes(span()); }
  std::size_t size() const { return count_; }

  void poison() { fill(poison_byte); }
  void fill(unsigned char byte) {
    if (count_) device_->fill(span().data(), byte, count_ * sizeof(T));
  }

  /// Copies all elements to the host.
  std::vector<T> read() const {
    std::vector<T> values(count_);
    if (count_) device_->read(values.data(), span().data(), count_ * sizeof(T));
    return values;
  }

  /// Requires size() values.
  void write(std::span<const T> values) {
    if (values.size() != count_) throw Error("number of values differs from the buffer's size");
    if (count_) device_->write(span().data(), values.data(), count_ * sizeof(T));
  }

  T read(std::size_t i) const {
    T value;
    device_->read(&value, span().data() + i, sizeof(T));
    return value;
  }

  /// Appends both guard bands; none of an empty buffer. Returns the device, null for an empty buffer.
  Device* append_guards(std::vector<std::span<const std::byte>>& bands) const {
    if (memory_) bands.insert(bands.end(), {std::span(memory_, front_), std::span(back(), guard)});
    return device_;
  }

  /// Whether both guard bands are unchanged. True for an empty buffer.
  bool guards_intact() const {
    std::vector<std::span<const std::byte>> bands;
    Device* const device = append_guards(bands);
    return bands.empty() || !device->any_has_changed(bands, poison_byte);
  }

  /// Bytes of a guard band.
  static constexpr std::size_t guard = 4096;

 private:
  std::byte* back() const { return memory_ + front_ + count_ * sizeof(T); }
  std::size_t bytes_in_all() const { return front_ + count_ * sizeof(T) + guard; }

  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    std::swap(count_, other.count_);
    std::swap(front_, other.front_);
  }

  Device* device_ = nullptr;
  std::byte* memory_ = nullptr;
  std::size_t count_ = 0;
  std::size_t front_ = guard;
};

/// Whether the guard bands of all buffers of these vectors are unchanged, in one look.
template <class... T>
bool guards_intact(const std::vector<Buffer<T>>&... buffers) {
  std::vector<std::span<const std::byte>> bands;
  Device* device = nullptr;
  const auto append = [&](const auto& of) {
    for (const auto& buffer : of)
      if (Device* const its = buffer.append_guards(bands)) device = its;
  };
  (append(buffers), ...);
  return bands.empty() || !device->any_has_changed(bands, poison_byte);
}

}  // namespace crosswarp
