// Adds all products of each element but the last one: must be wrong at any shape that has one.
// at: --m 33 --n 65 --k 31
#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

void multiply_short(const Queue&, const MatmulF32::Args& args) {
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float sum = 0;
      for (std::size_t l = 0; l + 1 < args.k; ++l) sum += args.a[row * args.k + l] * args.b[l * args.n + column];
      args.c[row * args.n + column] = sum;
    }
}

const Register<MatmulF32> variant{{.idea = "broken: drops the last product", .launch = multiply_short}};

}  // namespace
}  // namespace crosswarp::host
