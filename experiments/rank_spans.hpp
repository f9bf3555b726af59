// Ranks' memory in the arguments of experiments, where each rank is a process: what lies in memory of which rank.
#pragma once

#include <span>
#include <variant>

#include "core/peer_memory.hpp"
#include "experiments/rank_arrays.hpp"

namespace crosswarp {

/// Makes `span`, of `rank`'s memory, what `to` says.
template <class T>
void relocate(std::span<T>& span, std::size_t rank, const RelocateSpan& to) {
  if (span.empty()) return;
  using Plain = std::remove_const_t<T>;
  const std::span<Plain> there(const_cast<Plain*>(span.data()), span.size());
  span = {reinterpret_cast<T*>(to(rank, std::as_writable_bytes(there)).data()), span.size()};
}

/// Of all experiments with arrays of ranks.
inline void relocate(RankArgs& args, const RelocateSpan& to) {
  std::visit(
      [&](auto& a) -> void {
        for (std::size_t rank = 0; rank < a.ranks; ++rank) {
          relocate(a.in[rank], rank, to);
          relocate(a.out[rank], rank, to);
        }
      },
      args.typed);
}

}  // namespace crosswarp
