// A tree over a row that drops the odd element of each level: must be wrong at every n that is no power of two.
// at: --m 3 --n 1003
#include "backends/gpu/kernel.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::gpu {
namespace {

__global__ void add_row_by_halves(const float* in, std::size_t columns, float* scratch, float* out) {
  float* const row = scratch + blockIdx.x * columns;
  for (std::size_t i = 0; i < columns; ++i) row[i] = in[blockIdx.x * columns + i];
  for (std::size_t half = columns / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) row[i] += row[i + half];
  out[blockIdx.x] = columns > 0 ? row[0] : 0.0f;
}

std::size_t workspace(const Queue&, const RowSum::Args& args) { return args.in.size_bytes(); }

void sum(const Queue& queue, const RowSum::Args& args) {
  launch(add_row_by_halves, blocks_for(args.rows(), 1), 1, 0, queue, args.in.data(), args.columns,
         reinterpret_cast<float*>(queue.workspace.data()), args.out.data());
}

const Register<RowSum> variant{
    {.idea = "broken: right where n is a power of two", .workspace = workspace, .launch = sum}};

}  // namespace
}  // namespace crosswarp::gpu
