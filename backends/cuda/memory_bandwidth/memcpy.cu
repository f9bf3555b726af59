// The runtime's own copy, between arrays in memory and over the link: by a kernel, or by the copy engine. The
// yardstick.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  if (!args.out.empty()) copy(queue, args.out, args.a);
}

const Register<MemoryBandwidth> variant{{
    .idea = "the runtime's asynchronous copy: the library's own way, bound by memory or by the link",
    .library = true,
    .applies = [](const Point& point) { return point.word("level") == "link" || point.word("op") == "copy"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
