// By the copy engine, without the barrier between its halves: it copies shares of the sum that peers have not added
// yet.
// at: --n 1008 --ranks 4
// needs: two ranks
// caught by: verification
#include "backends/cuda/all_reduce/add_copies.hpp"
#include "tests/broken/cuda/all_reduce/plain.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// n is a multiple of 4 times the number of ranks.
void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  const auto& a = std::get<AllReduce::Typed<float>>(args.typed);
  const std::size_t share = a.n / a.ranks;
  const auto part = [&](auto array, std::size_t rank) { return array.subspan(rank * share, share); };
  float* const staging = workspaces<float>(queue, sizeof(Flags)).of[a.rank];
  Peers<const float> addends{};
  launch_meeting(queue, a.rank, a.ranks);
  for (std::size_t peer = 0; peer < a.ranks; ++peer) {
    addends.of[peer] = staging + peer * share;
    copy(queue, std::span<float>(staging + peer * share, share), part(a.in[peer], a.rank));
  }
  add_copies(queue, addends, part(a.out[a.rank], a.rank).data(), share, a.ranks);
  for (std::size_t peer = 0; peer < a.ranks; ++peer)
    if (peer != a.rank) copy(queue, part(a.out[a.rank], peer), part(a.out[peer], peer));
  launch_meeting(queue, a.rank, a.ranks);
}

#endif

const Register<AllReduce> variant{{
    .idea = "broken: gathers shares before they are added",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = [](const Queue&, const AllReduce::Args& args) { return sizeof(Flags) + args.bytes(); },
    .prepare = [](const Queue&, const AllReduce::Args& args) { preload_add_copies(args); },
    .launch = all_reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
