// Library: the runtime's asynchronous copy, in memory or over the link, by a kernel or a copy engine. The yardstick.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  if (!args.out.empty()) copy(queue, args.out, args.a);
}

const Register<MemoryBandwidth> variant{{
    .idea = "the runtime's asynchronous copy",
    .bound_by = "memory or link bandwidth",
    .library = true,
    .applies = [](const Point& point) { return point.word("level") == "link" || point.word("op") == "copy"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
