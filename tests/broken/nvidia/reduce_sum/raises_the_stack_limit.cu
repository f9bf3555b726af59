// Raises the stack of each thread, as for one recursive kernel: the memory is taken from all rows.
// caught by: timed run
// says: changed the device's state:
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static bool is_set = false;
  if (!is_set) check(cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{16} << 10), "set limit");
  is_set = true;
  add_serially_on(queue, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: raises the stack limit", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
