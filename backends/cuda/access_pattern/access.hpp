// Which elements a thread moves in access_pattern, in any of its patterns, and with no division: the grid has a row of
// blocks for each column of the matrix that a stride makes of the array.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::gpu {
namespace {

/// Of AccessPattern::Args, for kernels.
struct Accesses {
  AccessOrder order;
  const std::uint32_t* index;  ///< Null: by `order`.
  const float* in;
  float* out;
};

/// Where the i-th access goes: i is `row` of `column`.
template <bool random>
__device__ std::uint32_t place_of(const Accesses& all, std::uint32_t row, std::uint32_t column, std::uint32_t i) {
  if constexpr (random) return all.index[i];
  return all.order.stride > 1 ? all.order.in_matrix(row, column) : all.order.shifted(i);
}

/// Moves `each` accesses of a thread, which are a block apart, so that as many are in flight. Blocks are
/// one-dimensional; the grid has one row of blocks for each column and one more for what is left over.
template <AccessOp op, bool random, unsigned block, unsigned each>
__global__ void __launch_bounds__(block) move(Accesses all) {
  const AccessOrder& order = all.order;
  const std::uint32_t first = blockIdx.x * (block * each) + threadIdx.x, column = blockIdx.y;
  if (column == order.stride) {  // less than one row
    for (std::uint32_t i = order.rest() + blockIdx.x * block + threadIdx.x; i < order.n; i += gridDim.x * block)
      all.out[i] = all.in[i];
    return;
  }
  std::uint32_t from[each], to[each];
  float value[each];
#pragma unroll
  for (unsigned u = 0; u < each; ++u) {
    const std::uint32_t row = first + u * block, i = column * order.rows + row;
    const std::uint32_t place = row < order.rows ? place_of<random>(all, row, column, i) : 0;
    from[u] = op == AccessOp::scatter ? i : place;
    to[u] = op == AccessOp::gather ? i : place;
  }
#pragma unroll
  for (unsigned u = 0; u < each; ++u) value[u] = first + u * block < order.rows ? all.in[from[u]] : 0;
#pragma unroll
  for (unsigned u = 0; u < each; ++u)
    if (first + u * block < order.rows) all.out[to[u]] = value[u];
}

inline Accesses accesses_of(const AccessPattern::Args& args) {
  return {args.order, args.index.empty() ? nullptr : args.index.data(), args.in.data(), args.out.data()};
}

template <unsigned block, unsigned each>
void launch_move(const Queue& queue, const AccessPattern::Args& args) {
  const dim3 grid(blocks_for(args.order.rows, block * each), args.order.stride + (args.order.stride > 1));
  const auto with = [&](auto kernel) { launch(kernel, grid, block, 0, queue, accesses_of(args)); };
  const bool random = !args.index.empty();
  switch (args.op) {
    case AccessOp::gather:
      return random ? with(move<AccessOp::gather, true, block, each>)
                    : with(move<AccessOp::gather, false, block, each>);
    case AccessOp::scatter:
      return random ? with(move<AccessOp::scatter, true, block, each>)
                    : with(move<AccessOp::scatter, false, block, each>);
    case AccessOp::copy:
      return random ? with(move<AccessOp::copy, true, block, each>) : with(move<AccessOp::copy, false, block, each>);
  }
}

}  // namespace
}  // namespace crosswarp::gpu
