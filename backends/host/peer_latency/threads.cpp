// Rank 0's thread accesses the last rank's memory, between two barriers of ranks. Bound by the way of a cache line from
// core to core; chases by the cache or memory that holds the chain.
#include <atomic>
#include <chrono>
#include <thread>

#include "backends/host/ranks.hpp"
#include "experiments/peer_latency.hpp"

namespace crosswarp::host {
namespace {

constexpr std::uint32_t stretch = PeerLatency::stretch;

/// Behind a rank's flags, on a line of its own: the number of the step, and a token.
struct alignas(128) Word {
  std::uint64_t word;
};
struct Workspace {
  Flags flags;
  Word word;
};

std::atomic_ref<std::uint64_t> word_of(std::span<const std::span<std::byte>> workspaces, std::size_t rank) {
  return std::atomic_ref(reinterpret_cast<Workspace*>(workspaces[rank].data())->word.word);
}

std::uint32_t wait_for(std::atomic_ref<std::uint64_t> word, std::uint32_t number) {
  for (;;) {
    const std::uint64_t seen = word.load(std::memory_order_acquire);
    if (seen >> 32 == number) return static_cast<std::uint32_t>(seen);
    std::this_thread::yield();
  }
}

/// Takes `steps` steps and notes their time.
template <class Step>
void timed(const PeerLatency::Args& args, Step step) {
  std::uint64_t end = 0, sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t i = 1; i <= args.steps; ++i) {
    end = step(i);
    if (i % stretch == 0) sum += end;
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  args.out[0].end = end;
  args.out[0].checksum = sum;
  args.out[0].elapsed.nanoseconds =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

void access(const PeerLatency::Args& args, std::span<const std::span<std::byte>> workspaces, unsigned launch) {
  using Op = PeerLatency::Op;
  const std::size_t last = args.ranks - 1;
  const std::uint32_t base = launch << 25;  // numbers of two launches in turn differ
  const auto word = [](std::uint32_t number, std::uint32_t token) { return std::uint64_t{number} << 32 | token; };
  if (args.rank == last && args.op == Op::flag)
    for (std::uint32_t i = 1; i <= args.steps; ++i) {
      const std::uint32_t token = wait_for(word_of(workspaces, last), base + i);
      word_of(workspaces, 0).store(word(base + i, PeerLatency::reply(args.key, token)), std::memory_order_release);
    }
  if (args.rank != 0) return;
  const auto slot = [&](std::uint64_t at) {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(args.chain.data() + at));
  };
  std::uint64_t at = args.first;
  auto token = static_cast<std::uint32_t>(args.key);
  switch (args.op) {
    case Op::load:
      return timed(args, [&](std::uint32_t) { return at = slot(at).load(std::memory_order_relaxed); });
    case Op::atomic:
      // Not fetch_or(0): GCC 12 makes an endless loop of it where its result is the next address.
      return timed(args, [&](std::uint32_t) { return at = slot(at).fetch_add(0, std::memory_order_relaxed); });
    case Op::store:
      return timed(args, [&](std::uint32_t i) {
        std::atomic_ref(args.words[i - 1]).store(PeerLatency::value(args.key, i - 1), std::memory_order_seq_cst);
        return std::uint64_t{0};
      });
    case Op::flag:
      return timed(args, [&](std::uint32_t i) {
        word_of(workspaces, last).store(word(base + i, token), std::memory_order_release);
        token = wait_for(word_of(workspaces, 0), base + i);
        return std::uint64_t{token};
      });
  }
}

void run(const Queue& queue, const PeerLatency::Args& args) {
  enqueue_between_barriers(queue, args.rank, [args, workspaces = queue.workspaces] {
    access(args, workspaces, flags(workspaces, args.rank).launches + 1);
  });
}

const Register<PeerLatency> variant{{
    .idea = "rank 0's thread accesses what the last rank's thread owns; stores are sequentially consistent",
    .bound_by = "the way of a cache line from core to core",
    .workspace = [](const Queue&, const PeerLatency::Args&) { return sizeof(Workspace); },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::host
