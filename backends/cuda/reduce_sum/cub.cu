// The vendor's library: cub::DeviceReduce::Sum with its temporary storage allocated beforehand. The yardstick.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

#if CROSSWARP_HAS_CUB
#include <cub/device/device_reduce.cuh>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUB
std::size_t workspace(const Queue& queue, const ReduceSum::Args& args) {
  std::size_t bytes = 0;
  check(::cub::DeviceReduce::Sum(nullptr, bytes, args.in.data(), args.out.data(), args.in.size(), queue.stream),
        "cub::DeviceReduce::Sum");
  return bytes;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  std::size_t bytes = queue.workspace.size();
  check(::cub::DeviceReduce::Sum(queue.workspace.data(), bytes, args.in.data(), args.out.data(), args.in.size(),
                                 queue.stream),
        "cub::DeviceReduce::Sum");
}
#endif

const Register<ReduceSum> variant{{
    .idea = "cub::DeviceReduce::Sum, storage preallocated: the library's own way",
    .needs = {"cub"},
    .library = true,
#if CROSSWARP_HAS_CUB
    .workspace = workspace,
    .launch = sum,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
