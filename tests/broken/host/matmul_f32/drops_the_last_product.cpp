// Drops the last step of k of every element: wrong at any shape with k > 0.
// at: --m 33 --n 65 --k 31
#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

void run(const Queue&, const MatmulF32::Args& args) {
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float acc = 0;
      for (std::size_t l = 0; l + 1 < args.k; ++l) acc += args.a[row * args.k + l] * args.b[l * args.n + column];
      args.c[row * args.n + column] = acc;
    }
}

const Register<MatmulF32> variant{{.idea = "broken: drops the last product", .launch = run}};

}  // namespace
}  // namespace crosswarp::host
