// Launches on a stream of its own, with nothing that orders it.
// caught by: timed run
// says: ran outside of queue.stream
#include "tests/broken/nvidia/quick_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static cudaStream_t own = nullptr;
  if (!own) check(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking), "stream create");
  Queue other = queue;
  other.stream = own;
  add_quickly_on(other, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: launches on a stream of its own", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
