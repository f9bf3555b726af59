// Staged through the host: each rank copies its array to pinned memory of the host and all others' arrays from there,
// and adds them by a kernel. Bound by the link to the host; what is left where GPUs have no access to each other. Only
// the barriers' flags take the way from GPU to GPU.
#include "backends/cuda/all_reduce/add_copies.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PEERS

constexpr std::size_t max_bytes = std::size_t{256} << 20;  // of an array: pinned memory is the host's

/// Of all ranks of this process, for the longest arrays so far; kept until it ends, as pinning takes long.
struct Staging {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
};
Staging& staging() {
  static Staging kept;
  return kept;
}

/// Bytes from one rank's array to the next.
std::size_t staged_bytes(const AllReduce::Args& args) { return (args.bytes() + 15) / 16 * 16; }

void prepare(const Queue&, const AllReduce::Args& args) {
  preload_add_copies(args);
  Staging& kept = staging();
  const std::size_t bytes = args.ranks() * staged_bytes(args);
  if (args.rank() > 0 && kept.bytes < bytes) throw Error("through_host is for ranks of one process");
  if (kept.bytes >= bytes) return;
  release_pinned(kept.memory);
  kept = {};
  kept.memory = static_cast<std::byte*>(allocate_pinned(bytes));
  kept.bytes = bytes;
}

template <class T>
void all_reduce(const Queue& queue, const AllReduce::Typed<T>& a, std::size_t stride) {
  const auto on_host = [&](std::size_t rank) {
    return std::span<T>(reinterpret_cast<T*>(staging().memory + rank * stride), a.n);
  };
  std::byte* const own = workspaces<std::byte>(queue, sizeof(Flags)).of[a.rank];
  Peers<const T> addends{};
  if (a.n > 0) copy(queue, on_host(a.rank), a.in[a.rank]);
  launch_meeting(queue, a.rank, a.ranks);  // all arrays are in the host's memory
  for (std::size_t step = 0; step < a.ranks; ++step) {
    const std::size_t peer = (a.rank + step) % a.ranks;
    const std::span<T> here(reinterpret_cast<T*>(own + peer * stride), a.n);
    addends.of[peer] = step == 0 ? a.in[a.rank].data() : here.data();
    if (step > 0 && a.n > 0) copy(queue, here, on_host(peer));
  }
  add_copies(queue, addends, a.out[a.rank].data(), a.n, a.ranks);
  launch_meeting(queue, a.rank, a.ranks);  // nobody reads this rank's array in the host's memory any more
}

std::size_t workspace(const Queue&, const AllReduce::Args& args) {
  return sizeof(Flags) + args.ranks() * staged_bytes(args);
}

#endif

const Register<AllReduce> variant{{
    .idea = "staged through pinned memory of the host: every rank copies all arrays from there and adds them",
    .bound_by = "the link to the host: 1 array there and ranks - 1 back for each rank",
    .not_expressible = needs_peers,
#if CROSSWARP_HAS_PEERS
    .applies = [](const Point& point) { return AllReduce::bytes(point) <= max_bytes; },
    .workspace = workspace,
    .prepare = prepare,
    .launch =
        [](const Queue& queue, const AllReduce::Args& args) {
          std::visit([&](const auto& a) -> void { all_reduce(queue, a, staged_bytes(args)); }, args.typed);
        },
#endif
    .of_peers = OfPeers::process,
}};

}  // namespace
}  // namespace crosswarp::gpu
