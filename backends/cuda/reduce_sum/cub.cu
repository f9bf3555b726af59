// The library: cub::DeviceReduce, temporary storage allocated beforehand. The yardstick.
#include "backends/cuda/reduce_sum/types.hpp"

#if CROSSWARP_HAS_CUB
#include <cub/device/device_reduce.cuh>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUB
struct Widen {
  __device__ float operator()(Half half) const { return widen(half); }
};

/// In two phases: with no `storage`, it sets `bytes` to what it needs.
cudaError_t reduce_with(void* storage, std::size_t& bytes, const Queue& queue, const ReduceSum::Args& args) {
  cudaError_t code = cudaErrorNotSupported;
  if (args.operation == ReduceSum::Operation::sum) {
    dispatch_sum(args, [&]<class T>(const ReduceSum::Typed<T>& a) {
      if constexpr (std::same_as<T, Half>)
        code = ::cub::DeviceReduce::TransformReduce(storage, bytes, a.in.data(), a.out.data(), a.in.size(),
                                                    ::cuda::std::plus<>(), Widen(), 0.0f, queue.stream);
      else
        code = ::cub::DeviceReduce::Sum(storage, bytes, a.in.data(), a.out.data(), a.in.size(), queue.stream);
    });
  } else {
    const auto& a = args.f32();
    code = args.operation == ReduceSum::Operation::min
               ? ::cub::DeviceReduce::Min(storage, bytes, a.in.data(), a.out.data(), a.in.size(), queue.stream)
               : ::cub::DeviceReduce::Max(storage, bytes, a.in.data(), a.out.data(), a.in.size(), queue.stream);
  }
  return code;
}

std::size_t workspace(const Queue& queue, const ReduceSum::Args& args) {
  std::size_t bytes = 0;
  check(reduce_with(nullptr, bytes, queue, args), "cub::DeviceReduce");
  return bytes;
}

void reduce(const Queue& queue, const ReduceSum::Args& args) {
  std::size_t bytes = queue.workspace.size();
  check(reduce_with(queue.workspace.data(), bytes, queue, args), "cub::DeviceReduce");
}
#endif

const Register<ReduceSum> variant{{
    .idea = "cub::DeviceReduce, temporary storage preallocated",
    .bound_by = "memory bandwidth",
    .needs = {"cub"},
    .library = true,
    .applies = [](const Point& point) { return ReduceSum::is_sum(point) || ReduceSum::is_f32(point); },
#if CROSSWARP_HAS_CUB
    .workspace = workspace,
    .launch = reduce,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
