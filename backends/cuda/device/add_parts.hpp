// Sums that were taken in parts, of which each is an array of floats, added up. Bound by L2; of few elements in many
// parts by trips to it.
#pragma once

#include "backends/cuda/device/with_constant.hpp"
#include "backends/gpu/kernel.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned adding_block = 256;

/// Stores partials[i] + partials[pitch + i] + …, of `parts` arrays of `n` floats that lie `pitch` apart, by
/// c.store_at(i, sum). Of few elements there are few threads: `lanes` of them share an element's parts. Each has
/// `at_once` loads on their way, behind the last part of that one again: loads under a condition would wait for each
/// other.
template <unsigned lanes, unsigned at_once, class Sums>
__global__ void __launch_bounds__(adding_block)
    add_parts(const float* partials, std::size_t pitch, unsigned parts, std::size_t n, Sums c) {
  constexpr unsigned columns = adding_block / lanes;
  __shared__ float of_lane[lanes][columns];
  grid_dependency_sync();
  const unsigned lane = threadIdx.x / columns, column = threadIdx.x % columns;
  const std::size_t i = std::size_t{blockIdx.x} * columns + column;
  float sum = 0;
  if (i < n)
    for (unsigned first = lane; first < parts; first += at_once * lanes) {
      float values[at_once];
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j) values[j] = partials[std::min(first + j * lanes, parts - 1) * pitch + i];
#pragma unroll
      for (unsigned j = 0; j < at_once; ++j) sum += first + j * lanes < parts ? values[j] : 0;
    }
  of_lane[lane][column] = sum;
  __syncthreads();
  if (lane > 0 || i >= n) return;
#pragma unroll
  for (unsigned other = 1; other < lanes; ++other) sum += of_lane[other][column];
  c.store_at(i, sum);
}

/// Adds up what lies at the workspace's begin.
template <class Sums>
void launch_add_parts(const Queue& queue, std::size_t pitch, unsigned parts, std::size_t n, const Sums& c) {
  constexpr std::size_t few = 1 << 17;  // elements: less than threads that a device holds
  with_constant<1, 8>(parts > 8 && n < few ? 8 : 1, [&]<unsigned lanes>() {
    with_constant<4, 8>(parts > 4 ? 8 : 4, [&]<unsigned at_once>() {
      launch(add_parts<lanes, at_once, Sums>, blocks_for(n, adding_block / lanes), adding_block, 0, queue,
             reinterpret_cast<const float*>(queue.workspace.data()), pitch, parts, n, c);
    });
  });
}

}  // namespace
}  // namespace crosswarp::gpu
