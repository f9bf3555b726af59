// A strided gather or scatter is a transposition: a block brings some rows through shared memory, so that warps load
// and store whole sectors on both sides. Bound by memory, as if the pattern were coalesced.
#include "backends/cuda/access_pattern/access.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256, tile = 2048, most_columns = 32;

/// A tile has all columns, or 32 of them, and as many rows as make 2048 elements.
__host__ __device__ unsigned tile_columns(const AccessOrder& order) {
  return order.stride < most_columns ? order.stride : most_columns;
}
__host__ __device__ unsigned tile_rows(const AccessOrder& order) { return tile / tile_columns(order); }

/// The matrix of `rows` by `stride` is read by rows and written by columns (gather), or the other way round (scatter).
template <AccessOp op>
__global__ void __launch_bounds__(block) transpose(Accesses all) {
  __shared__ float held[tile + tile / 2];
  const AccessOrder& order = all.order;
  const unsigned height = tile_rows(order), width = tile_columns(order);
  const std::uint32_t first_row = blockIdx.x * height, first_column = blockIdx.y * width;
  const unsigned rows = first_row < order.rows ? std::min(height, order.rows - first_row) : 0;
  const unsigned columns = std::min(width, order.stride - first_column);
  // A row has one word more than it needs, so that going down a column meets every bank.
  const auto slot = [&](unsigned row, unsigned column) { return row * (width + 1) + column; };
  // By rows: neighbours are neighbours in the matrix. By columns: they are neighbours among the accesses.
  const auto by_rows = [&](const auto& visit) {
    for (unsigned t = threadIdx.x; t < height * columns; t += block)
      if (const unsigned row = t / columns, column = t % columns; row < rows)
        visit(order.in_matrix(first_row + row, first_column + column), slot(row, column));
  };
  const auto by_columns = [&](const auto& visit) {
    for (unsigned t = threadIdx.x; t < height * columns; t += block)
      if (const unsigned row = t % height, column = t / height; row < rows)
        visit((first_column + column) * order.rows + first_row + row, slot(row, column));
  };
  const auto load = [&](std::uint32_t at, unsigned to) { held[to] = all.in[at]; };
  const auto store = [&](std::uint32_t at, unsigned from) { all.out[at] = held[from]; };
  if constexpr (op == AccessOp::gather)
    by_rows(load);
  else
    by_columns(load);
  __syncthreads();
  if constexpr (op == AccessOp::gather)
    by_columns(store);
  else
    by_rows(store);
  if (blockIdx.x + blockIdx.y == 0)  // what is left over is in order
    for (std::uint32_t i = order.rest() + threadIdx.x; i < order.n; i += block) all.out[i] = all.in[i];
}

void run(const Queue& queue, const AccessPattern::Args& args) {
  const dim3 grid(blocks_for(args.order.rows, tile_rows(args.order)),
                  blocks_for(args.order.stride, tile_columns(args.order)));
  if (args.op == AccessOp::gather)
    launch(transpose<AccessOp::gather>, grid, block, 0, queue, accesses_of(args));
  else
    launch(transpose<AccessOp::scatter>, grid, block, 0, queue, accesses_of(args));
}

const Register<AccessPattern> variant{{
    .idea = "through shared memory, so that both sides move whole sectors: bound by memory, as if it were coalesced",
    .improves = "several_per_thread",
    .applies = [](const Point& p) { return p.word("pattern") == "strided" && p.word("op") != "copy"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
