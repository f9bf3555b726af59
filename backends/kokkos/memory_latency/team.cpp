// Pointer chase by one thread of a single team, after all its threads warm up. Bound by the latency of a load. Kokkos
// has no in-kernel clock: the difference of launches of two lengths is the time of the steps, without the warm-up.
#include <bit>

#include "backends/kokkos/queue.hpp"
#include "experiments/memory_latency.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;
using Team = Policy::member_type;

constexpr int threads = is_asynchronous ? 512 : 1;

/// Reads one slot every `warm_stride` bytes into the caches, by the whole team, four loads in flight per thread. Chains
/// up to 1 MiB three times, since L1 does not always evict the oldest line. The loaded words are even, which the
/// compiler cannot know: it keeps the loads, and nothing is written.
KOKKOS_INLINE_FUNCTION void warm_up(const Team& team, std::uint64_t chain, std::size_t bytes, std::size_t warm_stride,
                                    MemoryLatency::Chased* out) {
  constexpr std::size_t loads = 4;
  const auto rank = static_cast<std::size_t>(team.team_rank());
  const std::size_t slots = (bytes + warm_stride - 1) / warm_stride;
  const auto load = [&](std::size_t i) { return *reinterpret_cast<const std::uint64_t*>(chain + i * warm_stride); };
  const int passes = bytes <= std::size_t{1} << 20 ? 3 : 1;
  std::uint64_t words = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::size_t i = rank;
    for (; i + (loads - 1) * threads < slots; i += loads * threads) {
      std::uint64_t word[loads];
      for (std::size_t u = 0; u < loads; ++u) word[u] = load(i + u * threads);
      for (std::size_t u = 0; u < loads; ++u) words |= word[u];
    }
    for (; i < slots; i += threads) words |= load(i);
    team.team_barrier();
  }
  if (words % 2 != 0) out->end = words;
}

void chase(const Queue& queue, const MemoryLatency::Args& args) {
  constexpr std::uint32_t stretch = MemoryLatency::stretch;
  const auto base = reinterpret_cast<std::uint64_t>(args.chain.data());
  const std::uint64_t first = args.first;
  const std::uint32_t steps = args.steps;
  const std::size_t warm_stride = args.warm_stride;
  const std::size_t bytes = args.chain.size() / args.stride * args.stride;
  MemoryLatency::Chased* const out = args.out.data();
  Kokkos::parallel_for(
      Policy(queue.exec, 1, threads), KOKKOS_LAMBDA(const Team& team) {
        warm_up(team, base, bytes, warm_stride, out);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          std::uint64_t at = base + first, sum = 0;
          for (std::uint32_t done = 0; done < steps; done += stretch) {
            for (std::uint32_t i = 0; i < stretch; ++i) at = *reinterpret_cast<const std::uint64_t*>(at);
            sum += at;
          }
          out->end = at - base;
          out->checksum = sum - base * (steps / stretch);
        });
      });
}

const Register<MemoryLatency> variant{{
    .idea = "one team, one thread follows pointers; timed by the launch",
    .bound_by = "latency of a load",
    .counterparts = {"chase"},
    .applies =
        [](const Point& point) {
          return point.word("space") == "global" && std::has_single_bit(std::uint64_t(point.integer("bytes")));
        },
    .launch = chase,
}};

}  // namespace
}  // namespace crosswarp::kokkos
