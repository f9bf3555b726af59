// OpenMP over all cores, vectorized. Bound by memory bandwidth once the array is larger than the caches.
#include <algorithm>
#include <limits>

#include "backends/host/queue.hpp"
#include "experiments/reduce_sum.hpp"

namespace crosswarp::host {
namespace {

template <class T>
T widen(T value) {
  return value;
}
float widen(Half value) { return to_float(value); }

template <class T, class A>
void reduce(const T* in, std::size_t n, ReduceSum::Operation operation, A& out) {
  if (operation == ReduceSum::Operation::sum) {
    A sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
    for (std::size_t i = 0; i < n; ++i) sum += widen(in[i]);
    out = sum;
  } else if (operation == ReduceSum::Operation::min) {
    A least = std::numeric_limits<A>::max();
#pragma omp parallel for simd reduction(min : least) schedule(static)
    for (std::size_t i = 0; i < n; ++i) least = std::min(least, widen(in[i]));
    out = least;
  } else {
    A greatest = std::numeric_limits<A>::lowest();
#pragma omp parallel for simd reduction(max : greatest) schedule(static)
    for (std::size_t i = 0; i < n; ++i) greatest = std::max(greatest, widen(in[i]));
    out = greatest;
  }
}

void launch(const Queue&, const ReduceSum::Args& args) {
  std::visit([&](const auto& a) { reduce(a.in.data(), a.in.size(), args.operation, a.out[0]); }, args.typed);
}

const Register<ReduceSum> variant{{
    .idea = "an OpenMP loop over all cores, vectorized",
    .bound_by = "memory bandwidth",
    .launch = launch,
}};

}  // namespace
}  // namespace crosswarp::host
