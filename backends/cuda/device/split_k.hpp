// Split-K, second pass: adds the partial sums of a matrix product. Bound by L2; with few elements in many splits by its
// latency.
#pragma once

#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned split_k_block = 256;

/// Stores partials[i] + partials[pitch + i] + … over `splits` arrays of `n` elements, `pitch` apart, by
/// c.store_at(i, sum). `lanes` threads share an element's splits, since few elements are few threads. Each thread has
/// `unroll` loads in flight; past the last split it loads that one again, because predicated loads would serialise.
template <unsigned lanes, unsigned unroll, class Real, class Output>
__global__ void __launch_bounds__(split_k_block)
    add_partials(const Real* partials, std::size_t pitch, unsigned splits, std::size_t n, Output c) {
  constexpr unsigned columns = split_k_block / lanes;
  __shared__ Real lane_sums[lanes][columns];
  grid_dependency_sync();
  const unsigned lane = threadIdx.x / columns, column = threadIdx.x % columns;
  const std::size_t i = std::size_t{blockIdx.x} * columns + column;
  Real sum = 0;
  if (i < n)
    for (unsigned first = lane; first < splits; first += unroll * lanes) {
      Real values[unroll];
#pragma unroll
      for (unsigned j = 0; j < unroll; ++j) values[j] = partials[std::min(first + j * lanes, splits - 1) * pitch + i];
#pragma unroll
      for (unsigned j = 0; j < unroll; ++j) sum += first + j * lanes < splits ? values[j] : 0;
    }
  lane_sums[lane][column] = sum;
  __syncthreads();
  if (lane > 0 || i >= n) return;
#pragma unroll
  for (unsigned other = 1; other < lanes; ++other) sum += lane_sums[other][column];
  c.store_at(i, sum);
}

/// Adds the partial sums at the beginning of the workspace.
template <class Real = float, class Output>
void launch_add_partials(const Queue& queue, std::size_t pitch, unsigned splits, std::size_t n, const Output& c) {
  constexpr std::size_t few = 1 << 17;  // elements: fewer than a device's threads
  with_constant<1, 8>(splits > 8 && n < few ? 8 : 1, [&]<unsigned lanes>() {
    with_constant<4, 8>(splits > 4 ? 8 : 4, [&]<unsigned unroll>() {
      launch(add_partials<lanes, unroll, Real, Output>, blocks_for(n, split_k_block / lanes), split_k_block, 0, queue,
             reinterpret_cast<const Real*>(queue.workspace.data()), pitch, splits, n, c);
    });
  });
}

}  // namespace
}  // namespace crosswarp::gpu
