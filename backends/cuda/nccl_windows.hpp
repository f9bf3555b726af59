// Symmetric windows: arrays of ranks of one process, registered with NCCL, whose kernels then load and store them over
// the link instead of copying through NCCL's own buffers. NCCL 2.27 and later.
//
// - NCCL makes a symmetric window only of memory of the cuMem API. Ranks' memory is therefore ncclMemAlloc's where NCCL
//   is there (nccl_memory), for all variants alike.
// - Registering is collective: one allocation of each rank, of equal size, in one call. A release of one of them
//   deregisters all: the others' windows map it, too.
// - Where memory or GPUs are not suitable, NCCL falls back to a window that is not symmetric, or to none, and reports
//   success. Here that is an error.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "backends/cuda/nccl_communicators.hpp"
#include "backends/gpu/rank_device.hpp"
#include "core/ranks.hpp"

namespace crosswarp::gpu {

/// Why there are no windows; empty if there are.
std::string why_no_nccl_windows();

/// ncclMemAlloc's, and ncclMemFree, which deregisters windows of the memory before. Requires why_no_nccl_windows() to
/// be empty. NCCL lets all GPUs with access to each other access it.
extern const MemorySource nccl_memory;

/// Registers the allocations around these addresses, one of each rank, as a symmetric window of NcclArrays::windows.
/// Does nothing where that is done. Throws Error where NCCL makes none.
void register_nccl_window(std::span<const void* const> by_rank);
/// Throws Error unless register_nccl_window() did so: NCCL would take its path without windows.
void require_nccl_window(std::span<const void* const> by_rank);

/// Calls `work` with the inputs' addresses by rank, then with the outputs'.
template <class Spans, class Work>
void for_nccl_arrays(const Spans& a, Work work) {
  std::array<const void*, most_ranks> by_rank{};
  for (std::size_t rank = 0; rank < a.ranks; ++rank) by_rank[rank] = a.in[rank].data();
  work(std::span(by_rank).first(a.ranks));
  for (std::size_t rank = 0; rank < a.ranks; ++rank) by_rank[rank] = a.out[rank].data();
  work(std::span(by_rank).first(a.ranks));
}

/// For .prepare: the communicator, and behind the last rank's the windows of all ranks' inputs and outputs.
template <class Args>
void prepare_nccl_windows(const Args& args) {
  make_nccl_communicator(args.rank(), args.ranks(), NcclArrays::windows);
  if (args.rank() + 1 == args.ranks())
    std::visit([](const auto& a) -> void { for_nccl_arrays(a, register_nccl_window); }, args.typed);
}

/// As in_nccl_group(), on registered arrays. Throws Error before the group begins if they are not.
template <class Spans, class Call>
void in_nccl_windows(const Spans& a, Call call) {
  if (a.rank == 0) {
    for_nccl_arrays(a, require_nccl_window);
    check(nccl().group_start(), "ncclGroupStart");
  }
  call(nccl_communicator(a.rank, a.ranks, NcclArrays::windows));
  if (a.rank + 1 == a.ranks) check(nccl().group_end(), "ncclGroupEnd");
}

}  // namespace crosswarp::gpu
