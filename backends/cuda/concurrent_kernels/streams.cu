// A stream per kernel: events fork from the queue's stream and join it again, without a wait of the host. Bound by the
// latency of one kernel while the device has room for all, plus the launches.
#include "backends/cuda/concurrent_kernels/chain_kernel.hpp"

#if CROSSWARP_HAS_GRAPH  // CUDA and HIP: the emulation has one stream
#include <map>
#include <string>
#include <vector>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_GRAPH
cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event create");
  return event;
}

/// A stream beside the queue's, and the event that its work ends with.
struct Branch {
  cudaStream_t stream = nullptr;
  cudaEvent_t done = make_event();
};

struct Branches {
  cudaEvent_t begin = make_event();
  std::vector<Branch> all;
};

/// At least `count` branches of the queue's device, made at the first call. Never destroyed, since the driver may
/// unload before the program's statics.
Branches& branches_of(const Queue& queue, std::size_t count) {
  static std::map<std::string, Branches> of_devices;
  Branches& branches = of_devices[queue.device.key];
  while (branches.all.size() < count)
    check(cudaStreamCreateWithFlags(&branches.all.emplace_back().stream, cudaStreamNonBlocking), "stream create");
  return branches;
}

void prepare(const Queue& queue, const ConcurrentKernels::Args& args) { branches_of(queue, args.kernels - 1); }

void run(const Queue& queue, const ConcurrentKernels::Args& args) {
  const Branches& branches = branches_of(queue, args.kernels - 1);
  check(cudaEventRecord(branches.begin, queue.stream), "event record");
  for (unsigned kernel = 1; kernel < args.kernels; ++kernel) {
    const Branch& branch = branches.all[kernel - 1];
    Queue beside = queue;
    beside.stream = branch.stream;
    check(cudaStreamWaitEvent(branch.stream, branches.begin, 0), "wait for an event");
    launch_kernel(beside, args, kernel);
    check(cudaEventRecord(branch.done, branch.stream), "event record");
  }
  launch_kernel(queue, args, 0);
  for (unsigned kernel = 1; kernel < args.kernels; ++kernel)
    check(cudaStreamWaitEvent(queue.stream, branches.all[kernel - 1].done, 0), "wait for an event");
}
#endif

const Register<ConcurrentKernels> variant{{
    .idea = "a stream per kernel, forked and joined by events",
    .bound_by = "the latency of one kernel, plus launches",
    .improves = "one_stream",
#if CROSSWARP_HAS_GRAPH
    .prepare = prepare,
    .launch = run,
#else
    .not_expressible = "the emulation has one stream",
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
