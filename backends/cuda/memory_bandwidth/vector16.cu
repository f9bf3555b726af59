// Vectors of 16 bytes, several in flight for each thread. Bound by memory; its tunings with few blocks show how many
// bytes must be in flight for that (Little's law). Over the link it reads and writes the host's memory where it lies.
#include "backends/cuda/device/stream.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 512;

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  with_constant<1, 2, 4, 8>(queue.tuning["unroll"], [&]<unsigned unroll>() {
    launch_stream<Plainly<float4>, block, unroll>(queue, args, queue.tuning["per_unit"]);
  });
}

const Register<MemoryBandwidth> variant{{
    .idea = "16-byte loads, four in flight per thread, no more than one tile or a few a block: bound by memory",
    .improves = "vector8",
    // H200: many short blocks write 5 % faster than 64 a multiprocessor do, and read as fast.
    .tunings = {{{{"unroll", 4}, {"per_unit", 4096}}},
                {{{"unroll", 1}, {"per_unit", 1 << 20}}},
                {{{"unroll", 4}, {"per_unit", 64}}},
                {{{"unroll", 2}, {"per_unit", 64}}},
                {{{"unroll", 8}, {"per_unit", 64}}},
                {{{"unroll", 4}, {"per_unit", 4}}},
                {{{"unroll", 4}, {"per_unit", 2}}},
                {{{"unroll", 8}, {"per_unit", 1}}},
                {{{"unroll", 4}, {"per_unit", 1}}},
                {{{"unroll", 2}, {"per_unit", 1}}},
                {{{"unroll", 1}, {"per_unit", 1}}}},
    .applies = [](const Point& point) { return in_memory(point) || point.word("level") == "link"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
