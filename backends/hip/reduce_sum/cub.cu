// The library: hipcub::DeviceReduce::Sum, temporary storage allocated beforehand. The yardstick.
#include "backends/gpu/kernel.hpp"
#include "experiments/reduce_sum.hpp"

#if CROSSWARP_HAS_HIPCUB
#include <hipcub/hipcub.hpp>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_HIPCUB
std::size_t workspace(const Queue& queue, const ReduceSum::Args& args) {
  std::size_t bytes = 0;
  check(hipcub::DeviceReduce::Sum(nullptr, bytes, args.f32().in.data(), args.f32().out.data(), args.f32().in.size(),
                                  queue.stream),
        "hipcub::DeviceReduce::Sum");
  return bytes;
}

void sum(const Queue& queue, const ReduceSum::Args& args) {
  std::size_t bytes = queue.workspace.size();
  check(hipcub::DeviceReduce::Sum(queue.workspace.data(), bytes, args.f32().in.data(), args.f32().out.data(),
                                  args.f32().in.size(), queue.stream),
        "hipcub::DeviceReduce::Sum");
}
#endif

const Register<ReduceSum> variant{{
    .idea = "hipcub::DeviceReduce::Sum, temporary storage preallocated",
    .bound_by = "memory bandwidth",
    .counterparts = {"cub"},
    .needs = {"hipcub"},
    .library = true,
    .applies = ReduceSum::is_f32_sum,
#if CROSSWARP_HAS_HIPCUB
    .workspace = workspace,
    .launch = sum,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
