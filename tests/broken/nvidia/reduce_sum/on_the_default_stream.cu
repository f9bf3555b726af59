// Launches on the legacy default stream, as a launch without a stream argument does.
// caught by: timed run
// says: ran outside of queue.stream
#include "tests/broken/nvidia/quick_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  Queue nowhere = queue;
  nowhere.stream = nullptr;
  add_quickly_on(nowhere, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: launches on the default stream", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
