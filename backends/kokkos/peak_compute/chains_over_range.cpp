// Unrolled chains in registers, for each thread of a parallel_for several of multiply-adds, or one of divisions. Bound
// by the arithmetic units; divisions by their instructions.
#include <cmath>

#include "backends/kokkos/queue.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::kokkos {
namespace {

using Type = PeakCompute::Type;

/// x ← a·x + b, rounded once.
template <class T>
struct Fused {
  using Number = T;
  static constexpr unsigned unroll = 32;
  T a, b;
  KOKKOS_FUNCTION float operator()(float x) const { return fmaf(x, a, b); }
  KOKKOS_FUNCTION double operator()(double x) const { return fma(x, a, b); }
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t x) const { return x * a + b; }
};

/// x ← b - 1/x, by the language's division. It branches, so that a thread's chains would not overlap.
struct Reciprocal {
  using Number = float;
  static constexpr unsigned unroll = 32;
  float b;
  KOKKOS_FUNCTION float operator()(float x) const { return b - 1.0f / x; }
};

/// Steps of all chains in turn, Step::unroll of each between two branches, so that `count` are in flight. Chain j of
/// thread i is i + j · threads: neighbouring threads store neighbouring chains.
template <unsigned count, class Step>
void run(const Queue& queue, const PeakCompute::Args& args, const Step& step) {
  using T = typename Step::Number;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<128, 1>>;
  const T* const starts = args.starts_as<T>();
  T* const ends = args.ends_as<T>();
  const std::size_t chains = args.chains, threads = (chains + count - 1) / count;
  const unsigned steps = args.steps;
  Kokkos::parallel_for(
      Policy(queue.exec, 0, threads), KOKKOS_LAMBDA(std::size_t i) {
        T x[count];
        for (unsigned j = 0; j < count; ++j) x[j] = starts[(i + j * threads) % PeakCompute::start_count];
        unsigned done = 0;
        for (; done + Step::unroll <= steps; done += Step::unroll) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
          for (unsigned u = 0; u < Step::unroll; ++u)
            for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
        }
        for (; done < steps; ++done)
          for (unsigned j = 0; j < count; ++j) x[j] = step(x[j]);
        for (unsigned j = 0; j < count; ++j)
          if (i + j * threads < chains) ends[i + j * threads] = x[j];
      });
}

template <unsigned count>
void chains(const Queue& queue, const PeakCompute::Args& args) {
  const auto a = static_cast<float>(args.a), b = static_cast<float>(args.b);
  switch (args.type) {
    case Type::f64:
      return run<count>(queue, args, Fused<double>{args.a, args.b});
    case Type::i32:
      return run<count>(queue, args,
                        Fused<std::uint32_t>{static_cast<std::uint32_t>(args.a), static_cast<std::uint32_t>(args.b)});
    case Type::special:
      return run<1>(queue, args, Reciprocal{b});
    default:
      return run<count>(queue, args, Fused<float>{a, b});
  }
}

void tuned(const Queue& queue, const PeakCompute::Args& args) {
  switch (queue.tuning["accumulators"]) {
    case 8:
      return chains<8>(queue, args);
    case 12:
      return chains<12>(queue, args);
    default:
      return chains<4>(queue, args);
  }
}

/// A host computes small sizes only.
bool applies(const Point& point) {
  const Type type = PeakCompute::type_of(point);
  return (type == Type::f32 || type == Type::f64 || type == Type::i32 || type == Type::special) &&
         (is_asynchronous || PeakCompute::work(point) <= 1 << 24);
}

const Register<PeakCompute> variant{{
    .idea = "parallel_for over threads of several chains each, unrolled; of one, where a step is a division",
    .bound_by = "arithmetic units",
    .counterparts = {"unrolled_chains"},
    .tunings = {{{{"accumulators", 4}}}, {{{"accumulators", 8}}}, {{{"accumulators", 12}}}},
    .applies = applies,
    .launch = tuned,
}};

}  // namespace
}  // namespace crosswarp::kokkos
