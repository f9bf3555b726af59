// Each step as one PTX instruction that no compiler rewrites. Adds pairs of half-precision numbers, and reciprocals of
// the special-function unit. Bound by the arithmetic units.
#include "backends/cuda/peak_compute/chains.hpp"
#include "experiments/chain_steps.hpp"

namespace crosswarp::gpu {
namespace {

using Type = PeakCompute::Type;

bool is_scalar(const Point& point) { return !PeakCompute::is_tensor(PeakCompute::type_of(point)); }

#if CROSSWARP_HAS_PTX

constexpr unsigned block = 128;

struct Float {
  using Number = float;
  float a, b;
  __device__ float operator()(float x) const {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
    return x;
  }
};

struct Double {
  using Number = double;
  double a, b;
  __device__ double operator()(double x) const {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));
    return x;
  }
};

struct Integer {
  using Number = std::uint32_t;
  std::uint32_t a, b;
  __device__ std::uint32_t operator()(std::uint32_t x) const {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    return x;
  }
};

/// A reciprocal, and a subtraction on other units.
struct Special {
  using Number = float;
  float b;
  __device__ float operator()(float x) const {
    asm volatile("rcp.approx.ftz.f32 %0, %0;\n\tsub.rn.f32 %0, %1, %0;" : "+f"(x) : "f"(b));
    return x;
  }
};

/// Multiply-adds of a pair of half-precision numbers; see HalfPair for rounds and hash.
template <Type type>
struct Half {
  static constexpr unsigned round_steps = (type == Type::f16x2 ? f16_pair : bf16_pair).round_steps;
  std::uint32_t a, b, sign_and_mantissa, exponent_of_one;
  __device__ std::uint32_t first_of_round(std::uint32_t hash) const {
    return (hash & sign_and_mantissa) | exponent_of_one;
  }
  __device__ std::uint32_t operator()(std::uint32_t x) const {
    if constexpr (type == Type::f16x2)
      asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    else
      asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
    return x;
  }
};

/// Steps of all chains in turn, `unroll` steps between two branches.
template <unsigned unroll, unsigned count, class T, class Step>
__device__ void advance(T (&x)[count], unsigned steps, const Step& step) {
  unsigned done = 0;
  for (; done + unroll <= steps; done += unroll) {
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u)
#pragma unroll
      for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
  }
  for (; done < steps; ++done)
#pragma unroll
    for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
}

template <unsigned count, class Step, class T = typename Step::Number>
__global__ void __launch_bounds__(block)
    run_chains(const T* starts, T* ends, std::size_t chains, unsigned steps, Step step, Elapsed* elapsed) {
  constexpr std::size_t tile_size = std::size_t{block} * count;
  constexpr unsigned unroll = 512 / count;  // 8 kB of instructions, which fit in the innermost cache
  const Stopwatch watch;
  T x[count];
  for (std::size_t tile = blockIdx.x * tile_size; tile < chains; tile += gridDim.x * tile_size) {
    const std::size_t first = tile + threadIdx.x;
    load_starts<block>(x, starts, first);
    advance<unroll>(x, steps, step);
    store_ends<block>(x, ends, first, chains);
  }
  store_elapsed(watch.stop(x[0]), elapsed);
}

/// Chains of half-precision pairs: the hash is updated after each round.
template <unsigned count, class Step>
__global__ void __launch_bounds__(block) run_pairs(const std::uint32_t* starts, std::uint32_t* ends, std::size_t chains,
                                                   unsigned steps, Step step, Elapsed* elapsed) {
  constexpr std::size_t tile_size = std::size_t{block} * count;
  const Stopwatch watch;
  std::uint32_t hash[count];
  for (std::size_t tile = blockIdx.x * tile_size; tile < chains; tile += gridDim.x * tile_size) {
    const std::size_t first = tile + threadIdx.x;
    load_starts<block>(hash, starts, first);
    for (unsigned done = 0; done < steps; done += Step::round_steps) {
      std::uint32_t x[count];
#pragma unroll
      for (unsigned j = 0; j < count; ++j) x[j] = step.first_of_round(hash[j]);
      advance<32>(x, Step::round_steps, step);
#pragma unroll
      for (unsigned j = 0; j < count; ++j) hash[j] = hash[j] * HalfPair::multiplier + x[j];
    }
    store_ends<block>(hash, ends, first, chains);
  }
  store_elapsed(watch.stop(hash[0]), elapsed);
}

template <unsigned count>
void launch_by_type(const Queue& queue, const PeakCompute::Args& args) {
  const unsigned grid = blocks_for(args.chains, block * count);
  const auto scalars = [&]<class Step>(const Step& step) {
    using T = typename Step::Number;
    launch(run_chains<count, Step>, grid, block, 0, queue, args.starts_as<T>(), args.ends_as<T>(), args.chains,
           args.steps, step, args.elapsed.data());
  };
  const auto pairs = [&]<Type type>(const HalfPair& pair) {
    const Half<type> step{pair.both(args.a), pair.both(args.b), pair.sign_and_mantissa(), pair.exponent_of_one()};
    launch(run_pairs<count, Half<type>>, grid, block, 0, queue, args.starts_as<std::uint32_t>(),
           args.ends_as<std::uint32_t>(), args.chains, args.steps, step, args.elapsed.data());
  };
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  if (args.type == Type::f32) scalars(Float{a, b});
  if (args.type == Type::f64) scalars(Double{args.a, args.b});
  if (args.type == Type::i32) scalars(Integer{static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b)});
  if (args.type == Type::special) scalars(Special{b});
  if (args.type == Type::f16x2) pairs.template operator()<Type::f16x2>(f16_pair);
  if (args.type == Type::bf16x2) pairs.template operator()<Type::bf16x2>(bf16_pair);
}

/// On an H200 four chains per thread keep all units busy in 98 of 100 cycles, but for pairs, which need eight.
int best_count(Type type) { return PeakCompute::is_half(type) ? 8 : 4; }

void run(const Queue& queue, const PeakCompute::Args& args) {
  const int given = queue.tuning["accumulators"];
  with_constant<4, 8, 12>(given > 0 ? given : best_count(args.type),
                          [&]<unsigned count>() { launch_by_type<count>(queue, args); });
}
#endif

/// accumulators 0: the best number for the type.
const Register<PeakCompute> variant{{
    .idea = "each step one PTX instruction; also pairs of half-precision numbers and special functions",
    .bound_by = "arithmetic units",
    .improves = "unrolled_chains",
    .needs = {"ptx"},
    .tunings = {{{{"accumulators", 0}}}, {{{"accumulators", 4}}}, {{{"accumulators", 8}}}, {{{"accumulators", 12}}}},
    .applies = is_scalar,
#if CROSSWARP_HAS_PTX
    .launch = run,
#endif
    // Every other bf16 pair goes to the pipe named MMA.
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
