// From one value a thread to one a grid, in the same launch and without a fence or a ticket: every block but the last
// posts its value, with a flag in the same word, and the last one waits for the words. Bound by one store on its way to
// L2 and the load that finds it there, in place of the three trips of by_ticket.hpp.
#pragma once

#include "backends/cuda/device/reduction.hpp"

#if CROSSWARP_HAS_COOPERATIVE  // blocks that wait for others

namespace crosswarp::gpu {
namespace {

/// Words of 64 bits: 32 of a value, and above them a flag. A word arrives as a whole, so nothing must be ordered. They
/// are 0 before and after every launch: who takes a letter empties the box.
template <class A>
struct Mail {
  static constexpr unsigned words = sizeof(A) / sizeof(std::uint32_t);
  static constexpr std::uint64_t flag = std::uint64_t{1} << 32;
  static_assert(words == 1 || words == 2);

  std::uint64_t* boxes;

  static constexpr std::size_t bytes(std::size_t letters) { return letters * words * sizeof(std::uint64_t); }
  /// `memory` is aligned to 8 bytes, and was zeroed once.
  explicit Mail(std::span<std::byte> memory) : boxes(reinterpret_cast<std::uint64_t*>(memory.data())) {}

  __device__ void post(std::size_t letter, A value) const {
    std::uint32_t parts[words];
    memcpy(parts, &value, sizeof value);
#pragma unroll
    for (unsigned w = 0; w < words; ++w) store_relaxed(boxes + letter * words + w, flag | parts[w]);
  }

  /// What the letters first, first + stride … below `count` come to. Waits for them, `batch` at a time.
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
            word[b][w] = first + b * stride < count ? load_relaxed(boxes + (first + b * stride) * words + w) : flag;
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
          for (unsigned w = 0; w < words; ++w) complete = complete && word[b][w] >= flag;
      } while (!complete);
#pragma unroll
      for (unsigned b = 0; b < batch; ++b) {
        if (first + b * stride >= count) continue;
        std::uint32_t parts[words];
#pragma unroll
        for (unsigned w = 0; w < words; ++w) {
          parts[w] = static_cast<std::uint32_t>(word[b][w]);
          store_relaxed(boxes + (first + b * stride) * words + w, 0);
        }
        A letter;
        memcpy(&letter, parts, sizeof letter);
        value = op(value, letter);
      }
    }
    return value;
  }
};

/// Leaves in `out` what all threads of the grid bring. Every thread must call it, and return behind it. The block with
/// the highest index waits for all others, which wait for nobody: it ends on every device that runs the others beside
/// it or before it. `of_warps`: each warp posts a letter of its own, without waiting for its block.
template <unsigned block, bool of_warps, class Op, class A>
__device__ void combine_by_mail(A value, const Mail<A>& mail, A* out, Op op) {
  constexpr unsigned letters = of_warps ? block / warp_size() : 1;  // of a block
  constexpr unsigned batch = 8;
  if (blockIdx.x != gridDim.x - 1) {
    value = of_warps ? warp_reduce(value, op) : block_reduce<block>(value, op);
    if (threadIdx.x % (block / letters) == 0)
      mail.post(std::size_t{blockIdx.x} * letters + threadIdx.x / (block / letters), value);
    return;
  }
  const std::size_t count = std::size_t{gridDim.x - 1} * letters;
  value = op(value, mail.template collect<batch>(threadIdx.x, block, count, op));
  value = block_reduce<block>(value, op);
  if (threadIdx.x == 0) *out = value;
}

/// The whole reduction in one launch.
template <unsigned block, unsigned unroll, bool of_warps, class T, class Op>
__global__ void __launch_bounds__(block)
    reduce_by_mail(const T* in, std::size_t n, Mail<Accumulator<T>> mail, Accumulator<T>* out) {
  combine_by_mail<block, of_warps>(thread_value<block, unroll>(in, n, Op()), mail, out, Op());
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
