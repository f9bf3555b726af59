// block_tree with the length of a row and the block known to the compiler, which unrolls the walk over a row: more
// loads in flight, no test at the end of each step. Bound by latency for short rows, by memory for long ones.
#include "backends/cuda/row_sum/row_tree.hpp"

namespace crosswarp::gpu {
namespace {

template <unsigned block, unsigned columns>
__global__ void __launch_bounds__(block) add_row_of(const float* in, std::size_t rows, float* out) {
  if (blockIdx.x >= rows) return;
  const float* const row = in + std::size_t{blockIdx.x} * columns;
  constexpr unsigned whole = columns / block;
  float sum = 0;
#pragma unroll 8
  for (unsigned step = 0; step < whole; ++step) sum += row[step * block + threadIdx.x];
  if (columns % block != 0 && threadIdx.x < columns % block) sum += row[whole * block + threadIdx.x];
  sum = tree_sum<block>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

bool applies(const Point& point) {
  const std::int64_t n = point.integer("n");
  return has_rows_for_blocks(point) && (n == 2047 || n == 2048 || n == 40'960);
}

void sum(const Queue& queue, const RowSum::Args& args) {
  constexpr unsigned block = RowSum::block;
  const auto kernel = args.columns == 2047   ? add_row_of<block, 2047>
                      : args.columns == 2048 ? add_row_of<block, 2048>
                                             : add_row_of<block, 40'960>;
  launch(kernel, blocks_for(args.rows(), 1), block, 0, queue, args.in.data(), args.rows(), args.out.data());
}

const Register<RowSum> variant{{
    .idea = "row length and block known to the compiler, which unrolls: bound by latency for short rows",
    .improves = "block_tree",
    .applies = applies,
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::gpu
