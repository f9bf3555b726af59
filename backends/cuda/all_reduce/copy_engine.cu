// Two-shot by the copy engine: each rank copies its share of all peers' arrays into its own memory, adds it by a
// kernel, and copies the other shares of the sum from its peers. Bound by the link and by memory; short arrays by 2
// ranks + 2 operations one after the other.
#include "backends/cuda/all_reduce/add_copies.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

/// Elements of a share: whole vectors, so that shares are aligned.
std::size_t share_of(std::size_t bytes, std::size_t ranks, std::size_t element) {
  return (bytes + 16 * ranks - 1) / (16 * ranks) * 16 / element;
}

/// Elements first … last - 1 of an array.
struct Share {
  std::size_t first, size;
  Share(std::size_t rank, std::size_t share, std::size_t n)
      : first(std::min(rank * share, n)), size(std::min(share, n - first)) {}
  template <class T>
  std::span<T> of(std::span<T> array) const {
    return array.subspan(first, size);
  }
};

/// In place, too: peers have copied their shares of an array before the second barrier, behind which others overwrite
/// it; and a rank's own share is read by itself alone.
template <class T>
void all_reduce(const Queue& queue, const AllReduce::Typed<T>& a) {
  const std::size_t share = share_of(a.n * sizeof(T), a.ranks, sizeof(T));
  const Share own(a.rank, share, a.n);
  T* const staging = workspaces<T>(queue, sizeof(Flags)).of[a.rank];
  Peers<const T> addends{};
  launch_meeting(queue, a.rank, a.ranks);  // all inputs are there
  for (std::size_t step = 0; step < a.ranks; ++step) {
    const std::size_t peer = (a.rank + step) % a.ranks;
    const std::span<T> staged(staging + peer * share, own.size);
    addends.of[peer] = step == 0 ? own.of(a.in[a.rank]).data() : staged.data();
    if (step > 0 && own.size > 0) copy(queue, staged, own.of(a.in[peer]));
  }
  add_copies(queue, addends, own.of(a.out[a.rank]).data(), own.size, a.ranks);
  launch_meeting(queue, a.rank, a.ranks);  // all shares of the sum are there
  for (std::size_t step = 1; step < a.ranks; ++step) {
    const std::size_t peer = (a.rank + step) % a.ranks;
    const Share theirs(peer, share, a.n);
    if (theirs.size > 0) copy(queue, theirs.of(a.out[a.rank]), theirs.of(a.out[peer]));
  }
  launch_meeting(queue, a.rank, a.ranks);  // nobody reads this rank's output any more
}

std::size_t workspace(const Queue&, const AllReduce::Args& args) {
  return sizeof(Flags) + args.ranks() * share_of(args.bytes(), args.ranks(), 1);
}

#endif

const Register<AllReduce> variant{{
    .idea = "two-shot by the copy engine, a kernel adds what it has brought; barriers of ranks as kernels",
    .bound_by = "the link and memory; short arrays: 2 ranks + 2 operations",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .workspace = workspace,
    .prepare = [](const Queue&, const AllReduce::Args& args) { preload_add_copies(args); },
    .launch =
        [](const Queue& queue, const AllReduce::Args& args) {
          std::visit([&](const auto& a) -> void { all_reduce(queue, a); }, args.typed);
        },
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
