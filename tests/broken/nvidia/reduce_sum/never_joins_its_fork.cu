// Forks to a second stream in order, and never joins: the work goes on after the last event.
// caught by: timed run
// says: ran outside of queue.stream
#include "tests/broken/cuda/serial_sum.hpp"

namespace crosswarp::gpu {
namespace {

void sum(const Queue& queue, const ReduceSum::Args& args) {
  static cudaStream_t fork = nullptr;
  static cudaEvent_t start = nullptr;
  if (!fork) {
    check(cudaStreamCreateWithFlags(&fork, cudaStreamNonBlocking), "stream create");
    check(cudaEventCreateWithFlags(&start, cudaEventDisableTiming), "event create");
  }
  check(cudaEventRecord(start, queue.stream), "event record");
  check(cudaStreamWaitEvent(fork, start), "wait for an event");
  Queue other = queue;
  other.stream = fork;
  add_serially_on(other, args.f32());
}

const Register<ReduceSum> variant{{.idea = "broken: never joins its fork", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
