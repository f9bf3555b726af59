// Special functions as the hardware has them, and pairs of half-precision numbers: in the assembly, since the language
// has no word for them. Bound by their latency.
#include "backends/cuda/op_latency/latency.hpp"

namespace crosswarp::gpu {
namespace {

using Op = OpLatency::Op;

bool is_of_the_assembly(const Point& point) {
  const Op op = OpLatency::op_of(point);
  return op == Op::fma_f16x2 || op == Op::rcp || op == Op::sqrt || op == Op::sin;
}

#if CROSSWARP_HAS_PTX
struct HalfFma {
  using T = std::uint32_t;
  static constexpr unsigned unroll = 64, round = f16_pair.round_steps;
  std::uint32_t a, b, kept, ones;
  __device__ std::uint32_t begin(std::uint32_t mixed) const { return (mixed & kept) | ones; }
  __device__ std::uint32_t operator()(std::uint32_t x, const Lane&) const {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    return x;
  }
};
struct Rcp {
  using T = float;
  static constexpr unsigned unroll = 64;
  float b;
  __device__ float operator()(float x, const Lane&) const {
    asm volatile("rcp.approx.ftz.f32 %0, %0;\n\tsub.rn.f32 %0, %1, %0;" : "+f"(x) : "f"(b));
    return x;
  }
};
struct Sqrt {
  using T = float;
  static constexpr unsigned unroll = 64;
  __device__ float operator()(float x, const Lane&) const {
    float root;
    asm volatile("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return x + root;
  }
};
/// The unit takes turns, not radians: a multiplication goes before it.
struct Sin {
  using T = float;
  static constexpr unsigned unroll = 64;
  __device__ float operator()(float x, const Lane&) const {
    asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
  }
};

void measure(const Queue& queue, const OpLatency::Args& args) {
  switch (args.op) {
    case Op::rcp:
      return launch_chain(queue, args, Rcp{static_cast<float>(args.b)});
    case Op::sqrt:
      return launch_chain(queue, args, Sqrt{});
    case Op::sin:
      return launch_chain(queue, args, Sin{});
    default:
      return launch_chain(queue, args,
                          HalfFma{f16_pair.both(args.a), f16_pair.both(args.b), f16_pair.sign_and_mantissa(),
                                  f16_pair.exponent_of_one()});
  }
}
#endif

const Register<OpLatency> variant{{
    .idea = "special functions of the hardware, and pairs of halves, one waiting for the other: bound by latency",
    .improves = "dependent_chain",
    .needs = {"ptx"},
    .applies = is_of_the_assembly,
#if CROSSWARP_HAS_PTX
    .launch = measure,
#endif
    .instructions = {{"HFMA2", 64}, {"MUFU.RCP", 64}, {"MUFU.SIN", 64}},
}};

}  // namespace
}  // namespace crosswarp::gpu
