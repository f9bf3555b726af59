// Operations of the language in one warp, each waiting for the one before. Bound by their latency; division and square
// root round exactly, which takes many instructions.
#include <cmath>

#include "backends/cuda/op_latency/dependent_steps.hpp"

namespace crosswarp::gpu {
namespace {

using Op = OpLatency::Op;

/// Operands of a lane beside x.
struct Lane {
  std::uint32_t next;
  std::uint32_t* word;    ///< Its own word of global memory.
  std::uint32_t* shared;  ///< Its own word of shared memory.
};

// One step of each operation: the type of x, steps between two branches, x ← step(x).

struct FmaF32 {
  using T = float;
  static constexpr unsigned unroll = 64;
  float a, b;
  __device__ float operator()(float x, const Lane&) const { return fmaf(x, a, b); }
};
struct FmaF64 {
  using T = double;
  static constexpr unsigned unroll = 64;
  double a, b;
  __device__ double operator()(double x, const Lane&) const { return fma(x, a, b); }
};
struct MadI32 {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  std::uint32_t a, b;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane&) const { return x * a + b; }
};
struct AddF32 {
  using T = float;
  static constexpr unsigned unroll = 64;
  float one;
  __device__ float operator()(float x, const Lane&) const { return x + one; }
};
struct Rcp {
  using T = float;
  static constexpr unsigned unroll = 4;
  float b;
  __device__ float operator()(float x, const Lane&) const { return b - 1.0f / x; }
};
struct Sqrt {
  using T = float;
  static constexpr unsigned unroll = 4;
  __device__ float operator()(float x, const Lane&) const { return x + sqrtf(x); }
};
struct Sin {
  using T = float;
  static constexpr unsigned unroll = 1;
  __device__ float operator()(float x, const Lane&) const { return sinf(x); }
};
struct Shuffle {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane& lane) const { return shuffle(lane.next, x); }
};
struct AtomicShared {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane& lane) const { return atomicAdd(lane.shared, x); }
};
struct AtomicGlobal {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64;
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane& lane) const { return atomicAdd(lane.word, x); }
};

/// One warp. Three runs through the same code, which the first one brings into the instruction cache.
template <class Step>
__global__ void time_chain(OpLatency::Args args, Step step) {
  __shared__ std::uint32_t shared[64];
  const unsigned me = threadIdx.x;
  const Lane lane{args.next.data()[me], args.words.data() + me, shared + me};
  *lane.word = 1;
  *lane.shared = 1;
  typename Step::T x;
  from_bits(x, args.starts.data()[me]);
#pragma unroll 1
  for (unsigned run = 0; run < 3; ++run) {
    const unsigned steps = run == 2 ? 2 * args.steps : args.steps;
    const Stopwatch watch;
    x = repeat<Step::unroll>(x, steps, [&](auto value) { return step(value, lane); });
    const Elapsed took = watch.stop(x);
    if (me == 0 && run > 0) args.elapsed.data()[run - 1] = took;
  }
  args.ends.data()[me] = to_bits(x);
}

bool is_of_the_language(const Point& point) { return OpLatency::op_of(point) != Op::fma_f16x2; }

void measure(const Queue& queue, const OpLatency::Args& args) {
  const auto time = [&]<class Step>(const Step& step) {
    launch(time_chain<Step>, 1, static_cast<unsigned>(queue.device.warp_size), 0, queue, args, step);
  };
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  switch (args.op) {
    case Op::fma_f64:
      return time(FmaF64{args.a, args.b});
    case Op::mad_i32:
      return time(MadI32{static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b)});
    case Op::add_f32:
      return time(AddF32{1});
    case Op::rcp:
      return time(Rcp{b});
    case Op::sqrt:
      return time(Sqrt{});
    case Op::sin:
      return time(Sin{});
    case Op::shuffle:
      return time(Shuffle{});
    case Op::atomic_shared:
      return time(AtomicShared{});
    case Op::atomic_global:
      return time(AtomicGlobal{});
    default:
      return time(FmaF32{a, b});
  }
}

const Register<OpLatency> variant{{
    .idea = "one warp, operations of the language, each waiting for the one before",
    .bound_by = "latency of the operation",
    .applies = is_of_the_language,
    .launch = measure,
    .instructions = {{"FFMA", 64},
                     {"DFMA", 64},
                     {"IMAD", 64},
                     {"FADD", 64},
                     {"SHFL.IDX", 64},
                     {"ATOMS", 64},
                     {"ATOMG", 64},
                     {"MUFU.RCP", 4},
                     {"MUFU.RSQ", 4}},
}};

}  // namespace
}  // namespace crosswarp::gpu
