// Pointer chase by one thread, timed by the steady clock. Bound by the latency of the cache that holds the chain.
#include <bit>
#include <chrono>

#include "backends/host/queue.hpp"
#include "experiments/memory_latency.hpp"

namespace crosswarp::host {
namespace {

void chase(const Queue&, const MemoryLatency::Args& args) {
  const auto load = [](std::uint64_t at) { return *reinterpret_cast<const std::uint64_t*>(at); };
  const auto base = reinterpret_cast<std::uint64_t>(args.chain.data());
  const std::size_t bytes = args.chain.size() / args.stride * args.stride;
  std::uint64_t words = 0;
  for (std::size_t at = 0; at < bytes; at += args.warm_stride) words |= load(base + at);
  std::uint64_t at = base + args.first, sum = 0;
  asm volatile("" : "+r"(at) : "r"(words) : "memory");  // warm-up ends before the clock starts
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t done = 0; done < args.steps; done += MemoryLatency::stretch) {
    for (std::uint32_t i = 0; i < MemoryLatency::stretch; ++i) at = load(at);
    sum += at;
  }
  asm volatile("" : "+r"(sum)::"memory");
  const auto elapsed = std::chrono::steady_clock::now() - start;
  MemoryLatency::Chased& out = args.out[0];
  out.end = at - base;
  out.checksum = sum - base * (args.steps / MemoryLatency::stretch);
  out.elapsed.nanoseconds = static_cast<std::uint64_t>(std::chrono::nanoseconds(elapsed).count());
}

/// Powers of two only: each footprint takes half a second, and a processor's caches are further apart.
const Register<MemoryLatency> variant{{
    .idea = "one thread follows pointers",
    .bound_by = "latency of the cache or memory that holds them",
    .applies =
        [](const Point& point) {
          return point.word("space") == "global" && std::has_single_bit(std::uint64_t(point.integer("bytes")));
        },
    .launch = chase,
}};

}  // namespace
}  // namespace crosswarp::host
