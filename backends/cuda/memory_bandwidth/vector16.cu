// Vectors of 16 bytes, several in flight for each thread. Bound by memory; its tunings with few blocks show how many
// bytes must be in flight for that (Little's law). Over the link it reads and writes the host's memory where it lies.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

Tuning tuning(int block, int unroll, int per_unit) {
  return {{{"block", block}, {"unroll", unroll}, {"per_unit", per_unit}}};
}

/// H200: what is only read wants many loads in flight and few sums that are left; writing is fastest where each thread
/// has one vector, in blocks that come and go.
Tuning best_tuning(StreamOp op) { return writes(op) ? tuning(256, 1, 1 << 20) : tuning(512, 4, 64); }

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const Tuning with = queue.tuning["block"] > 0 ? queue.tuning : best_tuning(args.op);
  if (with["block"] == 128) return launch_stream<Plainly<float4>, 128, 1>(queue, args, with["per_unit"]);
  if (with["block"] == 256) return launch_stream<Plainly<float4>, 256, 1>(queue, args, with["per_unit"]);
  with_constant<1, 2, 4, 8>(with["unroll"], [&]<unsigned unroll>() {
    launch_stream<Plainly<float4>, 512, unroll>(queue, args, with["per_unit"]);
  });
}

/// block, unroll, per_unit 0: what suits the operation.
const Register<MemoryBandwidth> variant{{
    .idea = "16-byte accesses: reads four in flight a thread, grid-stride; writes one a thread, many blocks: by memory",
    .improves = "vector8",
    .tunings = {tuning(0, 0, 0), tuning(512, 4, 4096), tuning(512, 1, 1 << 20), tuning(256, 1, 1 << 20),
                tuning(128, 1, 1 << 20), tuning(512, 4, 64), tuning(512, 2, 64), tuning(512, 8, 64), tuning(512, 4, 4),
                tuning(512, 4, 2), tuning(512, 8, 1), tuning(512, 4, 1), tuning(512, 2, 1), tuning(512, 1, 1)},
    .applies = [](const Point& point) { return in_memory(point) || point.word("level") == "link"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
