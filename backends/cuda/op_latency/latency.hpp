// Times a chain of dependent steps by one warp, in two lengths: what the rungs of op_latency share.
#pragma once

#include <cmath>

#include "backends/cuda/device/stopwatch.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/chain_steps.hpp"
#include "experiments/op_latency.hpp"

namespace crosswarp::gpu {
namespace {

/// A word's bits as a number of the operation's type, and back.
__device__ inline void load_bits(float& x, std::uint64_t bits) {
  x = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
}
__device__ inline void load_bits(double& x, std::uint64_t bits) { x = __builtin_bit_cast(double, bits); }
__device__ inline void load_bits(std::uint32_t& x, std::uint64_t bits) { x = static_cast<std::uint32_t>(bits); }
__device__ inline std::uint64_t end_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
__device__ inline std::uint64_t end_bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
__device__ inline std::uint64_t end_bits(std::uint32_t x) { return x; }

/// What a lane's steps may need beside x.
struct Lane {
  std::uint32_t next;
  std::uint32_t* word;    ///< Of device memory, its own.
  std::uint32_t* shared;  ///< The same in shared memory.
};

/// The loop is in blocks of its own, so that no step leaves it for the other side of a clock.
template <class Op, class T>
__device__ T walk(T x, unsigned steps, const Op& op, const Lane& lane) {
  unsigned done = 0;
#pragma unroll 1
  for (; done + Op::unroll <= steps; done += Op::unroll)
#pragma unroll
    for (unsigned u = 0; u < Op::unroll; ++u) x = op(x, lane);
#pragma unroll 1
  for (; done < steps; ++done) x = op(x, lane);
  return x;
}

/// One warp. `Op` has the type `T` of x, a step, and how many of them stand between two branches (`unroll`); HalfPair's
/// rounds if it has `round`. All three stretches run through the same code, which is in the cache after the first.
template <class Op>
__global__ void time_chain(OpLatency::Args args, Op op) {
  __shared__ std::uint32_t shared[64];
  const unsigned me = threadIdx.x;
  const Lane lane{args.next.data()[me], args.words.data() + me, shared + me};
  *lane.word = 1;
  *lane.shared = 1;
  typename Op::T x;
  load_bits(x, args.starts.data()[me]);
#pragma unroll 1
  for (unsigned stretch = 0; stretch < 3; ++stretch) {
    const unsigned steps = stretch == 2 ? 2 * args.steps : args.steps;
    const Stopwatch watch;
    if constexpr (requires { Op::round; }) {
#pragma unroll 1
      for (unsigned done = 0; done < steps; done += Op::round)
        x = x * HalfPair::multiplier + walk(op.begin(x), Op::round, op, lane);
    } else {
      x = walk(x, steps, op, lane);
    }
    const Elapsed took = watch.stop(x);
    if (me == 0 && stretch > 0) args.elapsed.data()[stretch - 1] = took;
  }
  args.ends.data()[me] = end_bits(x);
}

template <class Op>
void launch_chain(const Queue& queue, const OpLatency::Args& args, const Op& op) {
  launch(time_chain<Op>, 1, static_cast<unsigned>(queue.device.warp_size), 0, queue, args, op);
}

}  // namespace
}  // namespace crosswarp::gpu
