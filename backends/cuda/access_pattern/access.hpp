// Access patterns for kernels, without a division: the grid has a row of blocks for each column of the strided matrix.
#pragma once

#include "backends/gpu/kernel.hpp"
#include "experiments/access_pattern.hpp"

namespace crosswarp::gpu {
namespace {

/// AccessPattern::Args as a kernel parameter.
struct Accesses {
  AccessOrder order;
  const std::uint32_t* index;  ///< Null: by `order`.
  const float* in;
  float* out;
};

inline Accesses accesses(const AccessPattern::Args& args) {
  return {args.order, args.index.empty() ? nullptr : args.index.data(), args.in.data(), args.out.data()};
}

/// The element of access i = column · rows + row.
template <bool random>
__device__ std::uint32_t element(const Accesses& all, std::uint32_t row, std::uint32_t column, std::uint32_t i) {
  if constexpr (random) return all.index[i];
  return all.order.stride > 1 ? all.order.in_matrix(row, column) : all.order.shifted(i);
}

/// Copies the tail, less than a row of the matrix, by a row of blocks.
template <unsigned block>
__device__ void copy_tail(const Accesses& all) {
  for (std::uint32_t i = all.order.tail() + blockIdx.x * block + threadIdx.x; i < all.order.n; i += gridDim.x * block)
    all.out[i] = all.in[i];
}

/// A row of blocks for each column of the matrix, and one for the tail. `accesses`: per block.
inline dim3 grid_for(const AccessOrder& order, unsigned accesses) {
  return dim3(blocks_for(order.rows, accesses), order.stride + (order.stride > 1));
}

/// Calls `use` with the pattern as constants: `[&]<AccessOp op, bool random>()`.
template <class Use>
void dispatch_pattern(const AccessPattern::Args& args, Use&& use) {
  const auto dispatch = [&]<AccessOp op>() {
    args.index.empty() ? use.template operator()<op, false>() : use.template operator()<op, true>();
  };
  switch (args.op) {
    case AccessOp::gather:
      return dispatch.template operator()<AccessOp::gather>();
    case AccessOp::scatter:
      return dispatch.template operator()<AccessOp::scatter>();
    case AccessOp::copy:
      return dispatch.template operator()<AccessOp::copy>();
  }
}

}  // namespace
}  // namespace crosswarp::gpu
