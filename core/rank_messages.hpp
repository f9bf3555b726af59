// Messages between the first process and the ranks of others: an operation and its arguments, by value; a reply,
// whether it went well, and the result or the error.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"

namespace crosswarp {

/// The process that has the experiment.
inline constexpr std::size_t first_process = 0;

/// Functions of Device and RankBound, by their names.
enum class Operation : unsigned char {
  open,
  form_group,
  close,
  dismiss,
  allocate,
  share,
  release,
  free_memory,
  fill,
  read,
  write,
  copy,
  note_change,
  any_has_changed,
  generate_elements,
  generate_general,
  permute,
  chain,
  reference_gemm,
  reference_row_sums,
  compare,
  relocate,
  synchronize,
  start,
  stop,
  open_gate,
  finish,
  launch_empty,
  restore_state,
  time_read,
  bind,
  take_workspaces,
  prepare,
  launch,
  unbind,
};

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;

/// Writes values one after the other. Both ends are of one build.
class Message {
 public:
  Message() = default;
  template <class... T>
  explicit Message(Operation operation, const T&... values) {
    add(operation);
    (add(values), ...);
  }

  void add(View bytes) {
    add(bytes.size());
    append(bytes.data(), bytes.size());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  template <class T>
  requires std::is_trivially_copyable_v<T> &&
      (!std::is_convertible_v<T, View>)&&(!std::is_convertible_v<T, std::string_view>)void add(const T& value) {
    append(static_cast<const void*>(&value), sizeof value);
  }
  View bytes() const { return bytes_; }

 private:
  void append(const void* from, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }

  Bytes bytes_;
};

/// Reads them in the same order.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  T take() {
    std::array<std::byte, sizeof(T)> raw;
    std::ranges::copy(next(sizeof(T)), raw.begin());
    return std::bit_cast<T>(raw);
  }
  template <class T>
  std::vector<T> take_all() {
    const View raw = take_bytes();
    std::vector<T> all(raw.size() / sizeof(T));
    if (!all.empty()) std::memcpy(static_cast<void*>(all.data()), raw.data(), raw.size());
    return all;
  }
  View take_bytes() { return next(take<std::size_t>()); }
  std::string take_text() {
    const View text = take_bytes();
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

 private:
  View next(std::size_t bytes) {
    if (bytes > bytes_.size() - at_) throw Error("a message between ranks is too short");
    return View(bytes_).subspan(std::exchange(at_, at_ + bytes), bytes);
  }

  Bytes bytes_;
  std::size_t at_ = 0;
};

inline void add(Message& message, const SharedMemory& memory) {
  message.add(memory.base);
  message.add(memory.bytes);
  message.add(View(memory.handle));
}
inline SharedMemory take_shared_memory(Reader& reader) {
  SharedMemory memory;
  memory.base = reader.take<std::byte*>();
  memory.bytes = reader.take<std::size_t>();
  const View handle = reader.take_bytes();
  memory.handle.assign(handle.begin(), handle.end());
  return memory;
}

/// Where a device is in its host; empty for the host itself. Keys do not tell: a launcher may show each process one
/// device.
inline std::string bus_of(const DeviceInfo& info) {
  const auto found = info.versions.find("pci");
  return found == info.versions.end() ? "" : found->second;
}

/// What a group wants to know of a device.
inline void add(Message& message, const DeviceInfo& info) {
  for (const std::string* text : {&info.key, &info.name, &info.architecture}) message.add(*text);
  message.add(bus_of(info));
  message.add(info.memory);
  message.add(info.compute_units);
}
inline DeviceInfo take_info(Reader& reply) {
  DeviceInfo info;
  for (std::string* text : {&info.key, &info.name, &info.architecture}) *text = reply.take_text();
  if (const std::string bus = reply.take_text(); !bus.empty()) info.versions["pci"] = bus;
  info.memory = reply.take<std::size_t>();
  info.compute_units = reply.take<int>();
  return info;
}

}  // namespace crosswarp
