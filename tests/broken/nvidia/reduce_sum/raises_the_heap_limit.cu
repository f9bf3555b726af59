// Raises the heap limit of the device's malloc: all rows lose that memory.
// caught by: timed run
// says: changed the device's state:
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static bool is_set = false;
  if (!is_set) check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{64} << 20), "set limit");
  is_set = true;
  add_serially_on(queue, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: raises the heap limit", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
