// Kokkos::deep_copy: within memory, over the link from or to pinned host memory, and of one value to a whole view.
// Bound by memory or link bandwidth where it is the runtime's copy. A value is stored by a parallel_for, one element
// per iteration, and then bound by the starts of its blocks, like range.
#include "backends/kokkos/queue.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::kokkos {
namespace {

/// Pinned host memory, which copies reach without a stop in between.
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
using Pinned = Kokkos::SharedHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_CUDA)
using Pinned = std::conditional_t<is_asynchronous, Kokkos::CudaHostPinnedSpace, Kokkos::HostSpace>;
#elif defined(KOKKOS_ENABLE_HIP)
using Pinned = std::conditional_t<is_asynchronous, Kokkos::Experimental::HIPHostPinnedSpace, Kokkos::HostSpace>;
#else
using Pinned = Kokkos::HostSpace;
#endif

template <class Space, class T>
auto array_in(std::span<T> memory) {
  return Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(memory.data(), memory.size());
}

void run(const Queue& queue, const MemoryBandwidth::Args& args) {
  if (args.out.empty()) return;
  if (args.op == StreamOp::write)
    Kokkos::deep_copy(queue.exec, array(args.out), args.scalar);
  else if (args.a_on_host)
    Kokkos::deep_copy(queue.exec, array(args.out), array_in<Pinned>(args.a));
  else if (args.out_on_host)
    Kokkos::deep_copy(queue.exec, array_in<Pinned>(args.out), array(args.a));
  else
    Kokkos::deep_copy(queue.exec, array(args.out), array(args.a));
}

bool is_fill(const Point& point) { return point.word("op") == "write"; }

const Register<MemoryBandwidth> variant{{
    .idea = "deep_copy of a view, or of a value to a view",
    .bound_by = "memory or link bandwidth; a value's block starts",
    .counterparts = {"memcpy", "memset"},
    .gaps = {{GapClass::tuning,
              "deep_copy of a value is a parallel_for, which starts a block for every 128 elements",
              {"blocks", "dram_throughput"},
              is_fill}},
    .applies =
        [](const Point& point) {
          return point.word("level") == "link" || point.word("op") == "copy" || is_fill(point);
        },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::kokkos
