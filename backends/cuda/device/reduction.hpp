// What the kernels of a reduction share: element types, and the way from an array to one value a thread. Bound by
// memory: enough loads are in flight to cover its latency.
#pragma once

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/vec.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::gpu {
namespace {

/// What is computed with for elements of T.
template <class T>
using Accumulator = ReduceSum::Result<T>;

/// Calls `launch` with the arguments for the element type, and the operation: `[&]<class T, class Op>(const
/// ReduceSum::Typed<T>& a, Op)`.
template <class Launch>
void dispatch(const ReduceSum::Args& args, Launch&& launch) {
  std::visit(
      [&]<class T>(const ReduceSum::Typed<T>& typed) {
        if (args.operation == ReduceSum::Operation::min) return launch(typed, Min());
        if (args.operation == ReduceSum::Operation::max) return launch(typed, Max());
        launch(typed, Sum());
      },
      args.typed);
}

/// The same for variants that apply to sums alone: `[&]<class T>(const ReduceSum::Typed<T>& a)`.
template <class Launch>
void dispatch_sum(const ReduceSum::Args& args, Launch&& launch) {
  std::visit(launch, args.typed);
}

/// An element as what is computed with.
template <class T>
__device__ T widen(T value) {
  return value;
}
__device__ inline float widen(Half value) { return half_value(value); }

/// What a pack's elements come to, by a tree.
template <class Op, class T>
__device__ Accumulator<T> reduced(const Vec<T>& pack, Op op) {
  Accumulator<T> values[Vec<T>::size];
#pragma unroll
  for (unsigned i = 0; i < Vec<T>::size; ++i) values[i] = widen(pack.of[i]);
#pragma unroll
  for (unsigned half = Vec<T>::size / 2; half > 0; half /= 2)
#pragma unroll
    for (unsigned i = 0; i < half; ++i) values[i] = op(values[i], values[i + half]);
  return values[0];
}

/// What the elements outside of packs come to: one thread of the grid each, so that they cost one load in all. To be
/// asked for before the packs are, so that these loads are in flight together.
template <unsigned block, class Op, class T>
__device__ Accumulator<T> edge_value(const T* in, std::size_t n, const VecSplit<T>& split, Op op) {
  using A = Accumulator<T>;
  const std::size_t me = std::size_t{blockIdx.x} * block + threadIdx.x, j = split.tail + me;
  const A head = me < split.head ? A{widen(in[me])} : Op::template identity<A>;
  const A tail = j < n ? A{widen(in[j])} : Op::template identity<A>;
  return op(head, tail);
}

/// What the calling thread's packs of one tile come to, which may be a partial one: those of block × unroll packs from
/// `first` on that there are. All loads are in flight together.
template <unsigned block, unsigned unroll, class Op, class T>
__device__ Accumulator<T> partial_tile_value(const Vec<T>* packs, std::size_t first, std::size_t count, Op op) {
  Accumulator<T> value = Op::template identity<Accumulator<T>>;
  Vec<T> pack[unroll];
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u)
    if (const std::size_t i = first + u * block + threadIdx.x; i < count) pack[u] = packs[i];
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u)
    if (first + u * block + threadIdx.x < count) value = op(value, reduced(pack[u], op));
  return value;
}

/// What the calling thread's share of `in` comes to. The grid strides over tiles of `block` × `unroll` packs: a
/// thread's independent loads lie within one tile, so that the whole grid reads one contiguous window at a time. (With
/// the loads a grid apart the H200 reads 2 to 6 % slower: docs/predictions.md.) All loads of a tile are in flight
/// together, those of the last, partial one too. Requires a one-dimensional grid, and blocks of `block` threads.
template <unsigned block, unsigned unroll, class Op, class T>
__device__ Accumulator<T> thread_value(const T* __restrict__ in, std::size_t n, Op op) {
  using A = Accumulator<T>;
  constexpr std::size_t tile = std::size_t{block} * unroll;
  const VecSplit<T> split(in, n);
  const auto* const packs = reinterpret_cast<const Vec<T>*>(in + split.head);  // aligned by the choice of head
  const A edge = edge_value<block>(in, n, split, op);
  A value = Op::template identity<A>;
  std::size_t first = blockIdx.x * tile;
  for (; first + tile <= split.packs; first += gridDim.x * tile) {
    Vec<T> pack[unroll];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) pack[u] = packs[first + u * block + threadIdx.x];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) value = op(value, reduced(pack[u], op));
  }
  // The last tile may be a partial one: it belongs to the one block that stopped before it.
  if (first < split.packs) value = op(value, partial_tile_value<block, unroll>(packs, first, split.packs, op));
  return op(value, edge);
}

/// Blocks of `block` threads that are resident at once where registers and shared memory allow.
inline unsigned resident_blocks_of(const Queue& queue, unsigned block) {
  return std::max(1u, static_cast<unsigned>(queue.device.compute_units * queue.device.threads_per_unit) / block);
}

/// Tiles of `block` × `unroll` packs in n elements of T.
template <class T>
unsigned tiles_of(std::size_t n, unsigned block, unsigned unroll) {
  return blocks_for(n, std::size_t{Vec<T>::size} * block * unroll);
}

/// Blocks for thread_value() over n elements of T: `waves` times as many as are resident at once, so that the hardware
/// evens out what some multiprocessors do faster; no more than there are tiles.
template <class T>
unsigned grid_for(const Queue& queue, std::size_t n, unsigned block, unsigned unroll, int waves) {
  return std::min(resident_blocks_of(queue, block) * static_cast<unsigned>(waves), tiles_of<T>(n, block, unroll));
}

}  // namespace
}  // namespace crosswarp::gpu
