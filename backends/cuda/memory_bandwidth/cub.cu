// Library: cub::DeviceReduce::Sum over the bits as integers, storage preallocated. The yardstick of reads.
#include "backends/cuda/memory_bandwidth/stream.hpp"

#if CROSSWARP_HAS_CUB
#include <cub/device/device_reduce.cuh>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUB
const std::uint32_t* words_of(const MemoryBandwidth::Args& args) {
  return reinterpret_cast<const std::uint32_t*>(args.a.data());
}

std::size_t workspace(const Queue& queue, const MemoryBandwidth::Args& args) {
  std::size_t bytes = 0;
  check(::cub::DeviceReduce::Sum(nullptr, bytes, words_of(args), args.sum.data(), args.a.size(), queue.stream),
        "cub::DeviceReduce::Sum");
  return bytes;
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  std::size_t bytes = queue.workspace.size();
  check(::cub::DeviceReduce::Sum(queue.workspace.data(), bytes, words_of(args), args.sum.data(), args.a.size(),
                                 queue.stream),
        "cub::DeviceReduce::Sum");
}
#endif

const Register<MemoryBandwidth> variant{{
    .idea = "cub::DeviceReduce::Sum of the bits, storage preallocated",
    .bound_by = "memory bandwidth",
    .needs = {"cub"},
    .library = true,
    .applies = [](const Point& point) { return in_memory(point) && point.word("op") == "read"; },
#if CROSSWARP_HAS_CUB
    .workspace = workspace,
    .launch = run,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
