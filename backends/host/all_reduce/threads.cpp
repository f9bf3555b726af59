// Two-shot by threads: each rank's thread adds its share of all arrays and stores the sum to every rank, between two
// barriers of ranks. Bound by memory; short arrays by the barriers, which spin.
#include <algorithm>
#include <atomic>
#include <concepts>
#include <thread>

#include "backends/host/queue.hpp"
#include "experiments/all_reduce.hpp"

namespace crosswarp::host {
namespace {

/// A rank's workspace. Words count launches from 1 on; 32 bits wrap.
struct Flags {
  unsigned launches;
  unsigned arrived[2][most_ranks];  // by barrier: the last launch in which a rank came
};

float widen(float value) { return value; }
float widen(Half value) { return to_float(value); }
float widen(Bfloat16 value) { return to_float(value); }

template <class T>
T narrow(float value) {
  if constexpr (std::same_as<T, float>)
    return value;
  else if constexpr (std::same_as<T, Half>)
    return to_half(value);
  else
    return to_bfloat16(value);
}

Flags& flags(std::span<const std::span<std::byte>> workspaces, std::size_t rank) {
  return *reinterpret_cast<Flags*>(workspaces[rank].data());
}

/// What any rank wrote before, all see behind it.
void sync_ranks(std::span<const std::span<std::byte>> workspaces, int barrier, std::size_t rank, unsigned launch) {
  for (std::size_t peer = 0; peer < workspaces.size(); ++peer)
    std::atomic_ref(flags(workspaces, peer).arrived[barrier][rank]).store(launch, std::memory_order_release);
  for (std::size_t peer = 0; peer < workspaces.size(); ++peer) {
    std::atomic_ref arrived(flags(workspaces, rank).arrived[barrier][peer]);
    while (static_cast<int>(arrived.load(std::memory_order_acquire) - launch) < 0) std::this_thread::yield();
  }
}

/// In place, too: an element is read by one rank alone, which then overwrites it.
template <class T>
void add_share(const AllReduce::Typed<T>& a) {
  const std::size_t share = (a.size() + a.ranks - 1) / a.ranks;
  const std::size_t first = std::min(a.rank * share, a.size()), last = std::min(first + share, a.size());
  for (std::size_t i = first; i < last; ++i) {
    float sum = 0;
    for (std::size_t r = 0; r < a.ranks; ++r) sum += widen(a.in[r][i]);
    for (std::size_t r = 0; r < a.ranks; ++r) a.out[r][i] = narrow<T>(sum);
  }
}

void all_reduce(const Queue& queue, const AllReduce::Args& args) {
  enqueue(queue, [args, workspaces = queue.workspaces] {
    std::visit(
        [&](const auto& a) {
          unsigned& launches = flags(workspaces, a.rank).launches;
          const unsigned launch = launches + 1;
          sync_ranks(workspaces, 0, a.rank, launch);  // all inputs are there, all outputs can be written
          add_share(a);
          sync_ranks(workspaces, 1, a.rank, launch);  // all of this rank's output is there
          launches = launch;
        },
        args.typed);
  });
}

const Register<AllReduce> variant{{
    .idea = "a thread per rank adds its share of all arrays and stores it to all ranks, between two barriers",
    .bound_by = "memory bandwidth; short arrays: two barriers",
    .workspace = [](const Queue&, const AllReduce::Args&) { return sizeof(Flags); },
    .launch = all_reduce,
}};

}  // namespace
}  // namespace crosswarp::host
