// Memory of ranks in other processes of this host: what one process says of an allocation, and how another maps it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace crosswarp {

class Device;

/// An allocation that other processes of the host can map.
struct SharedMemory {
  std::byte* base = nullptr;  ///< In the process that owns it.
  std::size_t bytes = 0;
  std::vector<std::byte> handle;  ///< For Device::map_shared() of another process.
};

/// A rank's allocations by their bases, to find the one that holds an address.
template <class Facts>
class Allocations {
 public:
  struct Allocation {
    std::byte* base;
    std::size_t bytes;
    Facts facts;
  };

  void add(void* base, std::size_t bytes, Facts facts) {
    auto* const first = static_cast<std::byte*>(base);
    by_base_.insert_or_assign(first, Allocation{first, bytes, std::move(facts)});
  }
  void remove(const void* base) { by_base_.erase(static_cast<const std::byte*>(base)); }
  /// Null for none.
  const Allocation* around(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    auto found = by_base_.upper_bound(at);
    if (found == by_base_.begin()) return nullptr;
    --found;
    return at < found->first + found->second.bytes ? &found->second : nullptr;
  }

 private:
  std::map<const std::byte*, Allocation, std::less<>> by_base_;
};

/// A span of `rank`'s memory, and what it is to become.
using RelocateSpan = std::function<std::span<std::byte>(std::size_t rank, std::span<std::byte>)>;

/// Replaces each span of ranks' memory in an experiment's arguments, given as bytes.
using RelocateArgs = std::function<void(std::span<std::byte> args, const RelocateSpan&)>;

/// One of a rank's allocations.
struct RankMemory {
  std::size_t rank;
  SharedMemory memory;
};

/// The allocations that hold `spans`, by rank, each once. Asks the ranks of `group`. Throws Error where a device cannot
/// share its memory.
std::vector<RankMemory> share(Device& group, std::span<const std::pair<std::size_t, std::span<std::byte>>> spans);

/// Other ranks' allocations, mapped for launches on a rank of this process.
class PeerMemory {
 public:
  /// Maps those of `shared` that are not the own rank's. `device` must outlive it.
  PeerMemory(Device& device, std::size_t own_rank, std::span<const RankMemory> shared);
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  /// The same memory as an address of this process. Throws Error if it was not shared.
  std::span<std::byte> here(std::size_t rank, std::span<std::byte> there) const;

 private:
  Device& device_;
  std::size_t own_rank_;
  std::map<std::size_t, Allocations<std::byte*>> mapped_;  // by rank; facts: where it is in this process
  std::vector<void*> all_;
};

}  // namespace crosswarp
