// Adds whole groups of four of each row only, as a 16-byte load does without its tail: must be wrong at every n that is
// no multiple of four.
// at: --m 3 --n 1003
#include "backends/gpu/kernel.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block)
    add_row_without_tail(const float* in, std::size_t rows, std::size_t columns, float* out) {
  const std::size_t row = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (std::size_t i = 0; i < columns / 4 * 4; ++i) sum += in[row * columns + i];
  out[row] = sum;
}

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row_without_tail, blocks_for(args.rows(), block), block, 0, queue, args.in.data(), args.rows(),
         args.columns, args.out.data());
}

const Register<RowSum> variant{{.idea = "broken: drops the tail of each row", .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
