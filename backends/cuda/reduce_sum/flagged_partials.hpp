// Flagged partials, as in decoupled look-back (Merrill and Garland): each block publishes its partial and a flag as one
// 64-bit word, the last block polls the words. No atomic and no fence. Bound by the latency of L2: one store, and the
// load that finds it.
#pragma once

#include "backends/cuda/reduce_sum/types.hpp"

#if CROSSWARP_HAS_COOPERATIVE  // one block waits for the others

namespace crosswarp::gpu {
namespace {

/// Partials in words of 64 bits: 32 bits of a value, and a flag above them. A word is stored and loaded whole, so
/// nothing else needs an order. All words are 0 before and after each launch: the reader resets them.
template <class A>
struct FlaggedPartials {
  static constexpr unsigned words = sizeof(A) / sizeof(std::uint32_t);  // of a partial
  static constexpr std::uint64_t flag = std::uint64_t{1} << 32;
  static_assert(words == 1 || words == 2);

  std::uint64_t* partials;

  static constexpr std::size_t bytes(std::size_t count) { return count * words * sizeof(std::uint64_t); }
  /// `memory` is aligned to 8 bytes, and was zeroed once.
  explicit FlaggedPartials(std::span<std::byte> memory) : partials(reinterpret_cast<std::uint64_t*>(memory.data())) {}

  __device__ void publish(std::size_t i, A value) const {
    std::uint32_t halves[words];
    memcpy(halves, &value, sizeof value);
#pragma unroll
    for (unsigned w = 0; w < words; ++w) store_relaxed(partials + i * words + w, flag | halves[w]);
  }

  /// Reduces the partials first, first + stride … below `count`, and resets them. Polls `batch` of them at a time until
  /// all are there.
  template <unsigned batch, class Op>
  __device__ A collect(std::size_t first, std::size_t stride, std::size_t count, Op op) const {
    A value = Op::template identity<A>;
    for (; first < count; first += batch * stride) {
      std::uint64_t word[batch][words];
      bool complete;
      do {
        complete = true;
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
          for (unsigned w = 0; w < words; ++w)
            word[b][w] = first + b * stride < count ? load_relaxed(partials + (first + b * stride) * words + w) : flag;
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
          for (unsigned w = 0; w < words; ++w) complete = complete && word[b][w] >= flag;
      } while (!complete);
#pragma unroll
      for (unsigned b = 0; b < batch; ++b) {
        if (first + b * stride >= count) continue;
        std::uint32_t halves[words];
#pragma unroll
        for (unsigned w = 0; w < words; ++w) {
          halves[w] = static_cast<std::uint32_t>(word[b][w]);
          store_relaxed(partials + (first + b * stride) * words + w, 0);
        }
        A partial;
        memcpy(&partial, halves, sizeof partial);
        value = op(value, partial);
      }
    }
    return value;
  }
};

/// Single-pass grid reduction of `value` into `out`. Every thread must call it, and return after it. Each block
/// publishes one partial, or with `per_warp` one per warp, without a barrier. The block with the highest index waits
/// for the others, which wait for none: no deadlock on a device that starts blocks in order.
template <unsigned block, bool per_warp = false, class Op, class A>
__device__ void grid_reduce(A value, const FlaggedPartials<A>& partials, A* out, Op op) {
  constexpr unsigned threads = per_warp ? warp_size() : block;  // that share a partial
  const unsigned last = gridDim.x - 1;
  if (blockIdx.x != last) {
    value = per_warp ? warp_reduce(value, op) : block_reduce<block>(value, op);
    if (threadIdx.x % threads == 0)
      partials.publish(std::size_t{blockIdx.x} * (block / threads) + threadIdx.x / threads, value);
    return;
  }
  value = op(value, partials.template collect<8>(threadIdx.x, block, std::size_t{last} * (block / threads), op));
  value = block_reduce<block>(value, op);
  if (threadIdx.x == 0) *out = value;
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
