// Library: the runtime's asynchronous fill with one byte, all that it can write. The yardstick of writes.
#include "backends/cuda/memory_bandwidth/stream.hpp"

namespace crosswarp::gpu {
namespace {

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  const auto byte = static_cast<unsigned char>(std::bit_cast<std::uint32_t>(args.scalar));  // its four bytes are equal
  if (!args.out.empty()) fill(queue, args.out, byte);
}

const Register<MemoryBandwidth> variant{{
    .idea = "the runtime's asynchronous fill",
    .bound_by = "memory bandwidth",
    .library = true,
    .applies = [](const Point& point) { return point.word("op") == "write" && point.word("level") == "hbm"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
