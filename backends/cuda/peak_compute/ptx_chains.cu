// Each step as one instruction of the assembly, which no compiler rewrites: also of pairs of half-precision numbers,
// and the reciprocal as the special-function unit gives it. Bound by the arithmetic units.
#include "backends/cuda/peak_compute/chains.hpp"

namespace crosswarp::gpu {
namespace {

using Type = PeakCompute::Type;

bool is_scalar(const Point& point) { return !PeakCompute::is_tensor(PeakCompute::type_of(point)); }

#if CROSSWARP_HAS_PTX

constexpr unsigned block = 128;

struct Float {
  float a, b;
  __device__ float operator()(float x) const {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    return x;
  }
};

struct Double {
  double a, b;
  __device__ double operator()(double x) const {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));
    return x;
  }
};

struct Integer {
  std::uint32_t a, b;
  __device__ std::uint32_t operator()(std::uint32_t x) const {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    return x;
  }
};

/// A reciprocal and a subtraction, which goes to other units.
struct Special {
  float b;
  __device__ float operator()(float x) const {
    asm volatile("rcp.approx.ftz.f32 %0, %0;\n\tsub.rn.f32 %0, %1, %0;" : "+f"(x) : "f"(b));
    return x;
  }
};

template <unsigned steps>
struct Half {
  static constexpr unsigned round = steps;
  std::uint32_t a, b, kept, ones;
  __device__ std::uint32_t begin(std::uint32_t mixed) const { return (mixed & kept) | ones; }
};
struct F16Pair : Half<f16_pair.round_steps> {
  __device__ std::uint32_t operator()(std::uint32_t x) const {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    return x;
  }
};
struct Bf16Pair : Half<bf16_pair.round_steps> {
  __device__ std::uint32_t operator()(std::uint32_t x) const {
    asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    return x;
  }
};

template <class Step>
Step half_step(const HalfPair& pair, const PeakCompute::Args& args) {
  return {{pair.both(args.a), pair.both(args.b), pair.sign_and_mantissa(), pair.exponent_of_one()}};
}

template <unsigned count>
void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  constexpr unsigned unroll = 512 / count;  // 8 kB of instructions, which fit in the innermost cache
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  switch (args.type) {
    case Type::f64:
      return launch_chains<block, count, unroll, double>(queue, args, Double{args.a, args.b});
    case Type::f16x2:
      return launch_chains<block, count, 32, std::uint32_t>(queue, args, half_step<F16Pair>(f16_pair, args));
    case Type::bf16x2:
      return launch_chains<block, count, 32, std::uint32_t>(queue, args, half_step<Bf16Pair>(bf16_pair, args));
    case Type::i32:
      return launch_chains<block, count, unroll, std::uint32_t>(
          queue, args, Integer{static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b)});
    case Type::special:
      return launch_chains<block, count, unroll, float>(queue, args, Special{b});
    default:
      return launch_chains<block, count, unroll, float>(queue, args, Float{a, b});
  }
}

/// H200: with four chains a thread all units but those of pairs are busy in 98 of 100 cycles; pairs need eight.
int best_count(Type type) { return type == Type::f16x2 || type == Type::bf16x2 ? 8 : 4; }

void tuned(const Queue& queue, const PeakCompute::Args& args) {
  const int given = queue.tuning["accumulators"];
  with_constant<4, 8, 12>(given > 0 ? given : best_count(args.type),
                          [&]<unsigned count>() { multiply_add<count>(queue, args); });
}
#endif

/// accumulators 0: what suits the type.
const Register<PeakCompute> variant{{
    .idea = "each step one instruction of the assembly, pairs of halves and special functions too: bound by the units",
    .improves = "unrolled_chains",
    .needs = {"ptx"},
    .tunings = {{{{"accumulators", 0}}}, {{{"accumulators", 4}}}, {{{"accumulators", 8}}}, {{{"accumulators", 12}}}},
    .applies = is_scalar,
#if CROSSWARP_HAS_PTX
    .launch = tuned,
#endif
    // Of pairs of bf16 every other one goes to the pipe that is named MMA.
    .instructions = {{"FFMA", 512},
                     {"DFMA", 512},
                     {"IMAD", 512},
                     {"HFMA2", 256},
                     {"HFMA2.BF16_V2", 128},
                     {"HFMA2.MMA.BF16_V2", 128},
                     {"MUFU.RCP", 512}},
}};

}  // namespace
}  // namespace crosswarp::gpu
