// Each allocation is shared and mapped once, however many spans lie in it.
#include "core/peer_memory.hpp"

#include <algorithm>

#include "core/device.hpp"
#include "core/error.hpp"

namespace crosswarp {

std::vector<RankMemory> share(Device& group, std::span<const std::pair<std::size_t, std::span<std::byte>>> spans) {
  std::vector<RankMemory> all;
  for (const auto& [rank, span] : spans) {
    const auto holds = [rank = rank, at = span.data()](const RankMemory& each) {
      return each.rank == rank && at >= each.memory.base && at < each.memory.base + each.memory.bytes;
    };
    if (span.empty() || std::ranges::any_of(all, holds)) continue;
    all.push_back({rank, group.rank(rank).share(span.data())});
  }
  return all;
}

PeerMemory::PeerMemory(Device& device, std::size_t own_rank, std::span<const RankMemory> shared)
    : device_(device), own_rank_(own_rank) {
  try {
    for (const auto& [rank, memory] : shared) {
      if (rank == own_rank) continue;
      all_.push_back(device_.map_shared(memory));
      mapped_[rank].add(memory.base, memory.bytes, static_cast<std::byte*>(all_.back()));
    }
  } catch (...) {
    for (void* const memory : all_) device_.unmap_shared(memory);
    throw;
  }
}

PeerMemory::~PeerMemory() {
  for (void* const memory : all_) device_.unmap_shared(memory);
}

std::span<std::byte> PeerMemory::here(std::size_t rank, std::span<std::byte> there) const {
  if (rank == own_rank_ || there.empty()) return there;
  const auto of_rank = mapped_.find(rank);
  const auto* const found = of_rank == mapped_.end() ? nullptr : of_rank->second.around(there.data());
  if (!found) throw Error("memory of rank " + std::to_string(rank) + " was not shared");
  return {found->facts + (there.data() - found->base), there.size()};
}

}  // namespace crosswarp
