// Correct except for one element of C, which is zero.
// at: --m 48 --n 64 --k 64
#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

void run(const Queue&, const MatmulF32::Args& args) {
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float acc = 0;
      for (std::size_t l = 0; l < args.k; ++l) acc += args.a[row * args.k + l] * args.b[l * args.n + column];
      args.c[row * args.n + column] = acc;
    }
  args.c[args.m / 2 * args.n + args.n / 2] = 0;
}

const Register<MatmulF32> variant{{.idea = "broken: zeroes one element", .launch = run}};

}  // namespace
}  // namespace crosswarp::host
