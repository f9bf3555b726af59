// Raises the limit of the device's printf buffer.
// caught by: timed run
// says: changed the device's state:
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static bool is_set = false;
  if (!is_set) check(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, std::size_t{8} << 20), "set limit");
  is_set = true;
  add_serially_on(queue, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: raises the printf buffer", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
