// Vectorised chains by all cores. Bound by the latency of a multiplication and an addition, which the compiler
// interleaves over few vectors.
#include "backends/host/queue.hpp"
#include "experiments/peak_compute.hpp"

namespace crosswarp::host {
namespace {

using Type = PeakCompute::Type;

constexpr std::size_t width = 32;  // chains at a time per core

template <class T>
void multiply_add(const PeakCompute::Args& args) {
  const auto a = static_cast<T>(args.a), b = static_cast<T>(args.b);
  const T* const starts = args.starts_as<T>();
  T* const ends = args.ends_as<T>();
#pragma omp parallel for schedule(static)
  for (std::size_t first = 0; first < args.chains; first += width) {
    T x[width];
    for (std::size_t j = 0; j < width; ++j) x[j] = starts[(first + j) % PeakCompute::start_count];
    for (unsigned s = 0; s < args.steps; ++s)
#pragma omp simd
      for (std::size_t j = 0; j < width; ++j) x[j] = x[j] * a + b;
    for (std::size_t j = 0; j < std::min(width, args.chains - first); ++j) ends[first + j] = x[j];
  }
}

void chains(const Queue&, const PeakCompute::Args& args) {
  if (args.type == Type::f64) return multiply_add<double>(args);
  if (args.type == Type::i32) return multiply_add<std::uint32_t>(args);
  multiply_add<float>(args);
}

bool applies(const Point& point) {
  const Type type = PeakCompute::type_of(point);
  return (type == Type::f32 || type == Type::f64 || type == Type::i32) && PeakCompute::work(point) <= 1 << 24;
}

const Register<PeakCompute> variant{{
    .idea = "a vectorised OpenMP loop over chains",
    .bound_by = "latency of a multiplication and an addition",
    .applies = applies,
    .launch = chains,
}};

}  // namespace
}  // namespace crosswarp::host
