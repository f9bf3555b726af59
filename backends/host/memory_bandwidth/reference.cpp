// One vectorised pass by all cores. Bound by memory bandwidth where arrays exceed the caches. Each core reads smaller
// arrays on its own, from its caches.
#include "backends/host/queue.hpp"
#include "experiments/memory_bandwidth.hpp"

namespace crosswarp::host {
namespace {

/// The sum of the bits of `a`, from `start` on and around. Each sweep starts elsewhere, so that no compiler can merge
/// sweeps.
std::uint32_t sum_of_bits(std::span<const float> a, std::size_t start) {
  std::uint32_t sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = start; i < a.size(); ++i) sum += std::bit_cast<std::uint32_t>(a[i]);
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < start; ++i) sum += std::bit_cast<std::uint32_t>(a[i]);
  return sum;
}

std::uint32_t read(const MemoryBandwidth::Args& args) {
  std::uint32_t sum = 0;
  const std::size_t n = args.a.size();
  if (args.sweeps > 1) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (std::uint64_t s = 0; s < args.sweeps; ++s) sum += sum_of_bits(args.a, s * 16 % n);
  } else {
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
    for (std::size_t i = 0; i < n; ++i) sum += std::bit_cast<std::uint32_t>(args.a[i]);
  }
  return sum;
}

float dot(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

template <class Element>
void write(std::span<float> to, const Element& element) {
  float* const out = to.data();
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < to.size(); ++i) out[i] = element(i);
}

void run(const Queue&, const MemoryBandwidth::Args& args) {
  const float *const a = args.a.data(), *const b = args.b.data(), s = args.scalar;
  switch (args.op) {
    case StreamOp::read:
      args.sum[0] = read(args);
      break;
    case StreamOp::write:
      write(args.out, [=](std::size_t) { return s; });
      break;
    case StreamOp::copy:
      write(args.out, [=](std::size_t i) { return a[i]; });
      break;
    case StreamOp::scale:
      write(args.out, [=](std::size_t i) { return s * a[i]; });
      break;
    case StreamOp::add:
      write(args.out, [=](std::size_t i) { return a[i] + b[i]; });
      break;
    case StreamOp::triad:
      write(args.out, [=](std::size_t i) { return a[i] + s * b[i]; });
      break;
    case StreamOp::dot:
      args.dot[0] = dot(args.a, args.b);
      break;
  }
}

const Register<MemoryBandwidth> variant{{
    .idea = "vectorised OpenMP loops over all cores",
    .bound_by = "memory bandwidth, or that of the cache that holds the array",
    .applies =
        [](const Point& point) {
          const std::string& level = point.word("level");
          return level == "hbm" || (point.word("op") == "read" && (level == "l2" || level == "l1"));
        },
    .launch = run,
}};

}  // namespace
}  // namespace crosswarp::host
