// Vectors of 8 bytes, four in flight for each thread. Bound by memory, or by the instructions that it takes to ask for
// it.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  launch_stream<Plainly<float2>, 512, 4>(queue, args, 64);
}

const Register<MemoryBandwidth> variant{{
    .idea = "8-byte loads, four in flight per thread: bound by memory",
    .improves = "scalar",
    .applies = in_memory,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
