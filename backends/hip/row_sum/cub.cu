// The library: hipcub::DeviceSegmentedReduce::Sum, one segment per row, offsets by a counting iterator. The yardstick.
#include <limits>

#include "backends/gpu/kernel.hpp"
#include "experiments/row_sum.hpp"

#if CROSSWARP_HAS_HIPCUB
#include <hipcub/hipcub.hpp>
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_HIPCUB
/// The offset of a row.
struct Offset {
  std::int64_t columns;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * columns; }
};

void sum_into(void* storage, std::size_t& bytes, const Queue& queue, const RowSum::Args& args) {
  const auto rows = static_cast<int>(args.rows());
  const hipcub::CountingInputIterator<std::int64_t> indices(0);
  const hipcub::TransformInputIterator<std::int64_t, Offset, decltype(indices)> begin(
      indices, Offset{static_cast<std::int64_t>(args.columns)});
  check(hipcub::DeviceSegmentedReduce::Sum(storage, bytes, args.in.data(), args.out.data(), rows, begin, begin + 1,
                                           queue.stream),
        "hipcub::DeviceSegmentedReduce::Sum");
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

/// The library counts segments in int.
bool applies(const Point& point) { return point.integer("m") <= std::numeric_limits<int>::max(); }

const Register<RowSum> variant{{
    .idea = "hipcub::DeviceSegmentedReduce::Sum, temporary storage preallocated, offsets counted",
    .bound_by = "memory bandwidth",
    .counterparts = {"cub"},
    .needs = {"hipcub"},
    .library = true,
    .applies = applies,
#if CROSSWARP_HAS_HIPCUB
    .workspace = workspace,
    .launch = sum,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
