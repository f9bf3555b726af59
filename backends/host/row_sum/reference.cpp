// OpenMP over all cores, vectorized: many rows in parallel, few rows one by one with all cores at each. Bound by memory
// bandwidth once the matrix is larger than the caches.
#include "backends/host/queue.hpp"
#include "experiments/row_sum.hpp"

namespace crosswarp::host {
namespace {

constexpr std::size_t few_rows = 64;  // few for any number of cores that share a memory

void sum(const Queue&, const RowSum::Args& args) {
  const float* const in = args.in.data();
  const std::size_t columns = args.columns;
  if (args.rows() < few_rows && columns > 4096) {
    for (std::size_t row = 0; row < args.rows(); ++row) {
      const float* const from = in + row * columns;
      float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
      for (std::size_t column = 0; column < columns; ++column) sum += from[column];
      args.out[row] = sum;
    }
    return;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < args.rows(); ++row) {
    const float* const from = in + row * columns;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t column = 0; column < columns; ++column) sum += from[column];
    args.out[row] = sum;
  }
}

const Register<RowSum> variant{{
    .idea = "OpenMP: rows over all cores, or all cores at each of few rows, vectorized",
    .bound_by = "memory bandwidth",
    .launch = sum,
}};

}  // namespace
}  // namespace crosswarp::host
