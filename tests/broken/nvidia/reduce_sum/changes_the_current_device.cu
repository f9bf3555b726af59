// Leaves another device current.
// needs: two devices
// caught by: timed run
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  add_serially_on(queue, args.f32());
  int current = 0, count = 0;
  check(cudaGetDevice(&current), "get device");
  check(cudaGetDeviceCount(&count), "device count");
  check(cudaSetDevice((current + 1) % count), "set device");
}

const Register<ReduceSum> variant{{.idea = "broken: changes the current device", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
