// A rank of this process whose peers may be other processes: what its launches get.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/device.hpp"
#include "core/peer_memory.hpp"

namespace crosswarp {

/// An experiment's arguments as bytes, for a rank of another process.
template <class Args>
std::span<const std::byte> bytes_of(const Args& args) {
  static_assert(std::is_trivially_copyable_v<Args>, "arguments of experiments over ranks are sent to other processes");
  return std::as_bytes(std::span(&args, 1));
}

/// Arguments whose spans are as `to` has them.
template <class Args>
Args relocated(Args args, const RelocateArgs& relocate, const RelocateSpan& to) {
  relocate(std::as_writable_bytes(std::span(&args, 1)), to);
  return args;
}

/// Its queue, and its peers' memory where that is mapped.
template <class Args, class Queue>
class OwnRank {
 public:
  /// `context`: without workspaces.
  template <class Context>
  OwnRank(Device& device, const Context& context, const RelocateArgs& relocate)
      : device_(device), queue_(device, context), relocate_(relocate) {}
  OwnRank(const OwnRank&) = delete;
  OwnRank& operator=(const OwnRank&) = delete;

  /// As RankBound::take_workspaces().
  void take_workspaces(std::span<const std::span<std::byte>> workspaces, std::size_t own_rank,
                       std::span<const RankMemory> shared) {
    workspaces_.assign(workspaces.begin(), workspaces.end());
    if (!shared.empty()) {
      peers_ = std::make_unique<PeerMemory>(device_, own_rank, shared);
      for (std::size_t rank = 0; rank < workspaces_.size(); ++rank)
        workspaces_[rank] = peers_->here(rank, workspaces_[rank]);
    }
    queue_.workspaces = workspaces_;
    queue_.workspace = workspaces_[own_rank];
  }

  const Queue& queue() const { return queue_; }

  /// Arguments with addresses of this process.
  Args here(const Args& args) const {
    if (!peers_) return args;
    return relocated(args, relocate_,
                     [&](std::size_t rank, std::span<std::byte> there) { return peers_->here(rank, there); });
  }

 private:
  Device& device_;
  Queue queue_;
  const RelocateArgs relocate_;
  std::vector<std::span<std::byte>> workspaces_;
  std::unique_ptr<PeerMemory> peers_;
};

}  // namespace crosswarp
