// Allocates at each launch and never frees.
// caught by: timed run
// says: leaks device memory
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  void* forgotten = nullptr;
  check(cudaMalloc(&forgotten, std::size_t{4} << 20), "malloc");
  add_serially_on(queue, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: leaks device memory", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
