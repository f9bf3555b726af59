// Sets a persisting L2 window over its input on the stream, which the flush between samples does not evict.
// caught by: timed run
// says: changed the device's state:
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  cudaStreamAttrValue window{};
  window.accessPolicyWindow.base_ptr = const_cast<float*>(args.f32().in.data());
  window.accessPolicyWindow.num_bytes = args.f32().in.size_bytes();
  window.accessPolicyWindow.hitRatio = 1;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  check(cudaStreamSetAttribute(queue.stream, cudaStreamAttributeAccessPolicyWindow, &window), "access policy window");
  add_serially_on(queue, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: sets a persisting L2 window", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
