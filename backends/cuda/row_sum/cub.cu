// The library: cub::DeviceSegmentedReduce::Sum, one segment per row, offsets by a counting iterator. The yardstick.
#include "backends/gpu/kernel.hpp"
#include "experiments/row_sum.hpp"

#if CROSSWARP_HAS_CUB
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_CUB
/// The offset of a row.
struct Offset {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * columns; }
};

void sum_into(void* storage, std::size_t& bytes, const Queue& queue, const RowSum::Args& args) {
  const auto rows = static_cast<std::int64_t>(args.rows());
  const auto begin = ::thrust::make_transform_iterator(::thrust::make_counting_iterator(std::int64_t{0}),
                                                       Offset{static_cast<std::int64_t>(args.columns)});
  check(::cub::DeviceSegmentedReduce::Sum(storage, bytes, args.in.data(), args.out.data(), rows, begin, begin + 1,
                                          queue.stream),
        "cub::DeviceSegmentedReduce::Sum");
}

std::size_t workspace(const Queue& queue, const RowSum::Args& args) {
  std::size_t bytes = 0;
  sum_into(nullptr, bytes, queue, args);
  return bytes;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  if (args.rows() == 0) return;
  std::size_t bytes = queue.workspace.size();
  sum_into(queue.workspace.data(), bytes, queue, args);
}
#endif

const Register<RowSum> variant{{
    .idea = "cub::DeviceSegmentedReduce::Sum, temporary storage preallocated, offsets counted",
    .bound_by = "memory bandwidth",
    .needs = {"cub"},
    .library = true,
#if CROSSWARP_HAS_CUB
    .workspace = workspace,
    .launch = sum,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
