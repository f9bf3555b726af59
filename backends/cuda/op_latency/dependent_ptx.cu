// Hardware special functions and pairs of half-precision numbers, in PTX since the language has neither; each waits for
// the one before. Bound by their latency.
#include "backends/cuda/op_latency/dependent_steps.hpp"
#include "experiments/chain_steps.hpp"

namespace crosswarp::gpu {
namespace {

using Op = OpLatency::Op;

bool needs_ptx(const Point& point) {
  const Op op = OpLatency::op_of(point);
  return op == Op::fma_f16x2 || op == Op::rcp || op == Op::sqrt || op == Op::sin;
}

#if CROSSWARP_HAS_PTX
constexpr unsigned unroll = 64;  // steps between two branches

// One step of each operation: x ← step(x).

struct Rcp {
  using T = float;
  float b;
  __device__ float operator()(float x) const {
    asm volatile("rcp.approx.ftz.f32 %0, %0;\n\tsub.rn.f32 %0, %1, %0;" : "+f"(x) : "f"(b));
    return x;
  }
};
struct Sqrt {
  using T = float;
  __device__ float operator()(float x) const {
    float root;
    asm volatile("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return x + root;
  }
};
/// A multiplication precedes the instruction, since the unit takes turns, not radians.
struct Sin {
  using T = float;
  __device__ float operator()(float x) const {
    asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
  }
};
struct HalfFma {
  using T = std::uint32_t;
  std::uint32_t a, b, sign_and_mantissa, exponent_of_one;
  __device__ std::uint32_t operator()(std::uint32_t x) const {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    return x;
  }
};

template <class Step>
__device__ float advance(float x, unsigned steps, const Step& step) {
  return repeat<unroll>(x, steps, step);
}
/// In rounds, with a hash from round to round; see HalfPair.
__device__ std::uint32_t advance(std::uint32_t hash, unsigned steps, const HalfFma& step) {
#pragma unroll 1
  for (unsigned done = 0; done < steps; done += f16_pair.round_steps) {
    const std::uint32_t x = (hash & step.sign_and_mantissa) | step.exponent_of_one;
    hash = hash * HalfPair::multiplier + repeat<unroll>(x, f16_pair.round_steps, step);
  }
  return hash;
}

/// One warp. Three runs through the same code, which the first one brings into the instruction cache.
template <class Step>
__global__ void time_chain(OpLatency::Args args, Step step) {
  typename Step::T x;
  from_bits(x, args.starts.data()[threadIdx.x]);
#pragma unroll 1
  for (unsigned run = 0; run < 3; ++run) {
    const unsigned steps = run == 2 ? 2 * args.steps : args.steps;
    const Stopwatch watch;
    x = advance(x, steps, step);
    const Elapsed took = watch.stop(x);
    if (threadIdx.x == 0 && run > 0) args.elapsed.data()[run - 1] = took;
  }
  args.ends.data()[threadIdx.x] = to_bits(x);
}

void measure(const Queue& queue, const OpLatency::Args& args) {
  const auto time = [&]<class Step>(const Step& step) {
    launch(time_chain<Step>, 1, static_cast<unsigned>(queue.device.warp_size), 0, queue, args, step);
  };
  const HalfPair& pair = f16_pair;
  switch (args.op) {
    case Op::rcp:
      return time(Rcp{static_cast<float>(args.b)});
    case Op::sqrt:
      return time(Sqrt{});
    case Op::sin:
      return time(Sin{});
    default:
      return time(HalfFma{pair.both(args.a), pair.both(args.b), pair.sign_and_mantissa(), pair.exponent_of_one()});
  }
}
#endif

const Register<OpLatency> variant{{
    .idea = "one warp, hardware special functions and half-precision pairs, each waiting for the one before",
    .bound_by = "latency of the operation",
    .improves = "dependent_chain",
    .needs = {"ptx"},
    .applies = needs_ptx,
#if CROSSWARP_HAS_PTX
    .launch = measure,
#endif
    .instructions = {{"HFMA2", 64}, {"MUFU.RCP", 64}, {"MUFU.SIN", 64}},
}};

}  // namespace
}  // namespace crosswarp::gpu
