// The runtime's own fill with one byte, which is all that it can write. The yardstick of writes.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const auto byte = static_cast<unsigned char>(std::bit_cast<std::uint32_t>(args.scalar));  // all four are alike
  if (!args.out.empty()) fill(queue, args.out, byte);
}

const Register<MemoryBandwidth> variant{{
    .idea = "the runtime's asynchronous fill: the library's own way, bound by memory",
    .library = true,
    .applies = [](const Point& point) { return point.word("op") == "write"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
