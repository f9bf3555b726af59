// An execution space instance per kernel by partition_space: streams on a GPU, shares of the threads on a host, which
// waits for each launch. Instances have no events: fences of the host fork and join. Bound by one kernel's latency and
// by these fences.
#include "backends/kokkos/concurrent_kernels/chain_kernel.hpp"

#if KOKKOS_VERSION >= 40000
#include <algorithm>
#include <map>
#include <vector>
#endif

namespace crosswarp::kokkos {
namespace {

#if KOKKOS_VERSION >= 40000
/// Equal shares of the queue's execution space, one per kernel, or as many as there are threads. Destroyed before
/// Kokkos ends, since the map is made after it starts.
const std::vector<Exec>& partition(const Queue& queue, unsigned kernels) {
  static std::map<unsigned, std::vector<Exec>> partitions;
  const unsigned count = std::min(kernels, static_cast<unsigned>(queue.exec.concurrency()));
  std::vector<Exec>& instances = partitions[count];
  if (instances.empty()) instances = Kokkos::Experimental::partition_space(queue.exec, std::vector<int>(count, 1));
  return instances;
}

void prepare(const Queue& queue, const ConcurrentKernels::Args& args) { partition(queue, args.kernels); }

void run(const Queue& queue, const ConcurrentKernels::Args& args) {
  const std::vector<Exec>& instances = partition(queue, args.kernels);
  queue.exec.fence();
  for (unsigned kernel = 0; kernel < args.kernels; ++kernel)
    launch_kernel(instances[kernel % instances.size()], args, kernel);
  for (const Exec& instance : instances) instance.fence();
}
#endif

const Register<ConcurrentKernels> variant{{
    .idea = "an execution space instance per kernel by partition_space, forked and joined by fences",
    .bound_by = "the latency of one kernel, plus the host's waits",
    .improves = "one_instance",
    .counterparts = {"streams"},
#if KOKKOS_VERSION >= 40000
    .gaps = {{GapClass::no_api, "Kokkos has no events: the host waits for instances by fences"}},
    .result = ResultIn::host,
    .prepare = prepare,
    .launch = run,
#else
    .not_expressible = "Kokkos before 4.0 has no partition_space of OpenMP",
#endif
}};

}  // namespace
}  // namespace crosswarp::kokkos
