// parallel_for over threads with several chains each, in registers. Bound by the arithmetic units where the compiler
// unrolls the loop over steps.
#include <cmath>

#include "backends/kokkos/queue.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::kokkos {
namespace {

using Type = PeakCompute::Type;

KOKKOS_INLINE_FUNCTION float step(float x, float a, float b) { return fmaf(x, a, b); }
KOKKOS_INLINE_FUNCTION double step(double x, double a, double b) { return fma(x, a, b); }
KOKKOS_INLINE_FUNCTION std::uint32_t step(std::uint32_t x, std::uint32_t a, std::uint32_t b) { return a * x + b; }

/// Chain j of thread i is i + j · threads, so that neighbouring threads store neighbouring chains.
template <class T, std::size_t count>
void multiply_add(const Queue& queue, const PeakCompute::Args& args) {
  const auto a = static_cast<T>(args.a), b = static_cast<T>(args.b);
  const T* const starts = args.starts_as<T>();
  T* const ends = args.ends_as<T>();
  const std::size_t chains = args.chains, threads = (chains + count - 1) / count;
  const unsigned steps = args.steps;
  Kokkos::parallel_for(
      range(queue, threads), KOKKOS_LAMBDA(std::size_t i) {
        T x[count];
        for (std::size_t j = 0; j < count; ++j) x[j] = starts[(i + j * threads) % PeakCompute::start_count];
        for (unsigned s = 0; s < steps; ++s)
          for (std::size_t j = 0; j < count; ++j) x[j] = step(x[j], a, b);
        for (std::size_t j = 0; j < count; ++j)
          if (i + j * threads < chains) ends[i + j * threads] = x[j];
      });
}

template <std::size_t count>
void chains(const Queue& queue, const PeakCompute::Args& args) {
  if (args.type == Type::f64) return multiply_add<double, count>(queue, args);
  if (args.type == Type::i32) return multiply_add<std::uint32_t, count>(queue, args);
  multiply_add<float, count>(queue, args);
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
  return (type == Type::f32 || type == Type::f64 || type == Type::i32) &&
         (is_asynchronous || PeakCompute::work(point) <= 1 << 24);
}

const Register<PeakCompute> variant{{
    .idea = "parallel_for over threads of several chains each",
    .bound_by = "arithmetic units, if the compiler unrolls",
    .counterparts = {"unrolled_chains"},
    .tunings = {{{{"accumulators", 4}}}, {{{"accumulators", 8}}}, {{{"accumulators", 12}}}},
    .applies = applies,
    .launch = tuned,
}};

}  // namespace
}  // namespace crosswarp::kokkos
