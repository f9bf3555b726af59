// One float a thread at a time, grid-stride. Bound by what is in flight: 4 bytes a thread are too few to cover the
// memory's latency.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  launch_stream<Plainly<float>, 512, 1>(queue, args, 64);
}

const Register<MemoryBandwidth> variant{{
    .idea = "4-byte loads, one in flight per thread: bound by latency, since too little is in flight",
    .applies = in_memory,
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
