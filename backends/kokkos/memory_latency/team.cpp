// Pointer chase by one thread of a single team, after all its threads warm up. Bound by the latency of a load. Kokkos
// has no in-kernel clock, so the launch's time, warm-up included, is all there is.
#include <bit>

#include "backends/kokkos/queue.hpp"
#include "experiments/memory_latency.hpp"

namespace crosswarp::kokkos {
namespace {

using Policy = Kokkos::TeamPolicy<Exec, Kokkos::IndexType<std::size_t>>;

void chase(const Queue& queue, const MemoryLatency::Args& args) {
  constexpr std::uint32_t stretch = MemoryLatency::stretch;
  const auto base = reinterpret_cast<std::uint64_t>(args.chain.data());
  const std::uint64_t first = args.first;
  const std::uint32_t steps = args.steps;
  const std::size_t warm_stride = args.warm_stride;
  const std::size_t bytes = args.chain.size() / args.stride * args.stride;
  MemoryLatency::Chased* const out = args.out.data();
  Kokkos::parallel_for(
      Policy(queue.exec, 1, Kokkos::AUTO), KOKKOS_LAMBDA(const Policy::member_type& team) {
        std::uint64_t words = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, (bytes + warm_stride - 1) / warm_stride),
            [&](std::size_t i, std::uint64_t& read) {
              read += *reinterpret_cast<const std::uint64_t*>(base + i * warm_stride);
            },
            words);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          if (words % 2 != 0) out->end = words;  // never true, since the words are even; keeps the loads
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
