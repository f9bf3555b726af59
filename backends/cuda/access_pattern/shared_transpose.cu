// A strided gather or scatter is a matrix transposition: through a tile in shared memory, warps load and store whole
// sectors on both sides. Bound by memory bandwidth, as if the pattern were coalesced.
#include "backends/cuda/access_pattern/access.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256, tile_elements = 2048, max_columns = 32;

/// A tile has all columns of the matrix, or 32 of them, and as many rows as make 2048 elements.
__host__ __device__ unsigned tile_columns(const AccessOrder& order) {
  return order.stride < max_columns ? order.stride : max_columns;
}
__host__ __device__ unsigned tile_rows(const AccessOrder& order) { return tile_elements / tile_columns(order); }

/// Reads the matrix by rows and writes it by columns (gather), or the other way round (scatter).
template <AccessOp op>
__global__ void __launch_bounds__(block) transpose(Accesses all) {
  __shared__ float tile[tile_elements + tile_elements / 2];
  const AccessOrder& order = all.order;
  const unsigned height = tile_rows(order), width = tile_columns(order);
  const std::uint32_t first_row = blockIdx.x * height, first_column = blockIdx.y * width;
  const unsigned rows = first_row < order.rows ? std::min(height, order.rows - first_row) : 0;
  const unsigned columns = std::min(width, order.stride - first_column);
  // A word of padding per row: a column of the tile goes through all banks.
  const auto slot = [&](unsigned row, unsigned column) { return row * (width + 1) + column; };
  // By rows, neighbouring threads have neighbouring elements; by columns, neighbouring accesses.
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
  const auto load = [&](std::uint32_t from, unsigned to) { tile[to] = all.in[from]; };
  const auto store = [&](std::uint32_t to, unsigned from) { all.out[to] = tile[from]; };
  if constexpr (op == AccessOp::gather)
    by_rows(load);
  else
    by_columns(load);
  __syncthreads();
  if constexpr (op == AccessOp::gather)
    by_columns(store);
  else
    by_rows(store);
  if (blockIdx.x + blockIdx.y == 0)  // the tail is in order
    for (std::uint32_t i = order.tail() + threadIdx.x; i < order.n; i += block) all.out[i] = all.in[i];
}

void run(const Queue& queue, const AccessPattern::Args& args) {
  const dim3 grid(blocks_for(args.order.rows, tile_rows(args.order)),
                  blocks_for(args.order.stride, tile_columns(args.order)));
  launch(args.op == AccessOp::gather ? transpose<AccessOp::gather> : transpose<AccessOp::scatter>, grid, block, 0,
         queue, accesses(args));
}

const Register<AccessPattern> variant{{
    .idea = "transposes through shared memory: whole sectors on both sides",
    .bound_by = "memory bandwidth",
    .improves = "several_per_thread",
    .applies = [](const Point& p) { return p.word("pattern") == "strided" && p.word("op") != "copy"; },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::gpu
