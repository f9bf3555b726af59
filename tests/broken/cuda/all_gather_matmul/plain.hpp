// Parts of a plain product over ranks, from which broken ones are made.
#pragma once

#include "backends/cuda/all_gather_matmul/product.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

inline void meet_all(const Queue& queue, const AllGatherMatmul::Args& args) {
  launch_meeting(queue, args.rank, args.ranks);
}

/// Multiplies a peer's rows where they lie.
inline void multiply_rows_of(const Queue& queue, const AllGatherMatmul::Args& args, std::size_t peer) {
  multiply(queue, args, args.a[peer], args.c_of(peer));
}

inline void multiply_all(const Queue& queue, const AllGatherMatmul::Args& args) {
  for (std::size_t peer = 0; peer < args.ranks; ++peer) multiply_rows_of(queue, args, peer);
}

__global__ void copy_elements(Bfloat16* to, const Bfloat16* from, std::size_t n) { copy_by_grid<1>(to, from, n); }

inline void copy_part(const Queue& queue, std::span<Bfloat16> to, std::span<const Bfloat16> from) {
  launch(copy_elements, 1, 64, 0, queue, to.data(), from.data(), to.size());
}

/// The workspace behind the flags: a part of A for each rank.
inline std::span<Bfloat16> gathered(const Queue& queue, const AllGatherMatmul::Args& args, std::size_t peer) {
  return {workspaces<Bfloat16>(queue, sizeof(Flags)).of[args.rank] + peer * args.part(), args.part()};
}

inline std::size_t flags_only(const Queue&, const AllGatherMatmul::Args&) { return sizeof(Flags); }
inline std::size_t flags_and_rows(const Queue&, const AllGatherMatmul::Args& args) {
  return sizeof(Flags) + args.ranks * args.part() * sizeof(Bfloat16);
}
inline void preload_all(const Queue& queue, const AllGatherMatmul::Args&) {
  preload(copy_elements);
  preload_product(queue, 0);
}

#endif

}  // namespace
}  // namespace crosswarp::gpu
