// Thread-wide reduction of an array: a grid-stride loop of 16-byte loads, several in flight per thread. The loop of
// every rung from float4 on. Bound by memory bandwidth while enough loads are in flight to cover the latency.
#pragma once

#include "backends/cuda/device/vec.hpp"
#include "backends/cuda/reduce_sum/types.hpp"

namespace crosswarp::gpu {
namespace {

/// Reduces the elements of a vector by a tree.
template <class Op, class T>
__device__ Accumulator<T> vec_reduce(const Vec<T>& vec, Op op) {
  Accumulator<T> values[Vec<T>::size];
#pragma unroll
  for (unsigned i = 0; i < Vec<T>::size; ++i) values[i] = widen(vec.of[i]);
#pragma unroll
  for (unsigned half = Vec<T>::size / 2; half > 0; half /= 2)
#pragma unroll
    for (unsigned i = 0; i < half; ++i) values[i] = op(values[i], values[i + half]);
  return values[0];
}

/// The elements before and after the vectors: one of each per thread, from the grid's first thread on. Call it before
/// the vectors are loaded, so that all loads are in flight together.
template <unsigned block, class Op, class T>
__device__ Accumulator<T> reduce_ends(const T* in, std::size_t n, const VecSplit<T>& split, Op op) {
  using A = Accumulator<T>;
  const std::size_t thread = std::size_t{blockIdx.x} * block + threadIdx.x, j = split.tail + thread;
  const A head = thread < split.head ? A{widen(in[thread])} : Op::template identity<A>;
  const A tail = j < n ? A{widen(in[j])} : Op::template identity<A>;
  return op(head, tail);
}

/// The calling thread's vectors of a partial tile: those of `first` … first + block × unroll - 1 below `count`. All
/// loads are in flight together.
template <unsigned block, unsigned unroll, class Op, class T>
__device__ Accumulator<T> reduce_partial_tile(const Vec<T>* vectors, std::size_t first, std::size_t count, Op op) {
  Accumulator<T> value = Op::template identity<Accumulator<T>>;
  Vec<T> vec[unroll];
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u)
    if (const std::size_t i = first + u * block + threadIdx.x; i < count) vec[u] = vectors[i];
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u)
    if (first + u * block + threadIdx.x < count) value = op(value, vec_reduce(vec[u], op));
  return value;
}

/// Reduces the calling thread's share of in[0] … in[n-1]. The grid strides over tiles of `block` × `unroll` vectors; a
/// thread's loads of a tile are independent and all in flight together. They lie within one tile, so that the whole
/// grid reads one contiguous window at a time. (With a thread's loads a grid apart, an H200 reads 2 to 6 % slower:
/// docs/experiments/reduce_sum.md.) Requires a one-dimensional grid, and blocks of `block` threads.
template <unsigned block, unsigned unroll, class Op, class T>
__device__ Accumulator<T> thread_reduce(const T* __restrict__ in, std::size_t n, Op op) {
  using A = Accumulator<T>;
  constexpr std::size_t tile = std::size_t{block} * unroll;
  const VecSplit<T> split(in, n);
  const A ends = reduce_ends<block>(in, n, split, op);
  A value = Op::template identity<A>;
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= split.count; first += gridDim.x * tile) {
    Vec<T> vec[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) vec[u] = split.vectors[first + u * block + threadIdx.x];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) value = op(value, vec_reduce(vec[u], op));
  }
  if (first < split.count)  // only the block that stopped before the last, partial tile
    value = op(value, reduce_partial_tile<block, unroll>(split.vectors, first, split.count, op));
  return op(value, ends);
}

/// Blocks of `block` threads that fit on the device at once, where registers and shared memory do not limit them.
inline unsigned max_resident_blocks(const Queue& queue, unsigned block) {
  return std::max(1u, static_cast<unsigned>(queue.device.compute_units * queue.device.threads_per_unit) / block);
}

/// Tiles of `block` × `unroll` vectors in n elements of T, at least one.
template <class T>
unsigned tile_count(std::size_t n, unsigned block, unsigned unroll) {
  return blocks_for(n, std::size_t{Vec<T>::size} * block * unroll);
}

/// The grid for thread_reduce() over n elements of T: `waves` times the resident blocks, so that the hardware balances
/// the load, but no more than there are tiles.
template <class T>
unsigned grid_size(const Queue& queue, std::size_t n, unsigned block, unsigned unroll, int waves) {
  return std::min(max_resident_blocks(queue, block) * static_cast<unsigned>(waves), tile_count<T>(n, block, unroll));
}

}  // namespace
}  // namespace crosswarp::gpu
