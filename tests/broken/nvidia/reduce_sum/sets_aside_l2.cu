// Sets a part of L2 aside for persisting accesses: every later row has less cache.
// caught by: timed run
// says: changed the device's state:
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static bool is_set = false;
  if (!is_set) check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, std::size_t{1} << 20), "set limit");
  is_set = true;
  add_serially_on(queue, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: sets L2 aside", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
