// Prefers shared memory to L1 device-wide, for every kernel without a preference of its own.
// caught by: timed run
// says: changed the device's state:
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  check(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared), "cache configuration");
  add_serially_on(queue, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: prefers shared memory everywhere", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
