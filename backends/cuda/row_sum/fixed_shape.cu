// block_tree with row length and block size as template parameters, so that the compiler unrolls the loop over a row:
// more loads in flight, no test at the end of each step. Bound by latency for short rows, by memory bandwidth for long
// ones.
#include "backends/cuda/row_sum/tree_reduce.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block, unsigned columns>
__global__ void __launch_bounds__(block) add_row_of(const float* in, std::size_t rows, float* out) {
  if (blockIdx.x >= rows) return;
  const float* const row = in + std::size_t{blockIdx.x} * columns;
  constexpr unsigned whole = columns / block;
  float sum = 0;
#pragma unroll 8
  for (unsigned stride = 0; stride < whole; ++stride) sum += row[stride * block + threadIdx.x];
  if (columns % block != 0 && threadIdx.x < columns % block) sum += row[whole * block + threadIdx.x];
  sum = tree_sum<block>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

bool applies(const Point& point) {
  const std::int64_t n = point.integer("n");
  return suits_block_per_row(point) && (n == 2047 || n == 2048 || n == 40'960);
}

void sum(const Queue& queue, const RowSum::Args& args) {
  constexpr unsigned block = RowSum::block;
  const auto kernel = args.columns == 2047   ? add_row_of<block, 2047>
                      : args.columns == 2048 ? add_row_of<block, 2048>
                                             : add_row_of<block, 40'960>;
  launch(kernel, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(), args.out.data());
}

const Register<RowSum> variant{{
    .idea = "row length and block size as template parameters, the loop over a row unrolled",
    .bound_by = "latency for short rows, memory bandwidth for long ones",
    .improves = "block_tree",
    .applies = applies,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
