// Adds all products of each element but the last one: must be wrong at any shape that has one.
// at: --m 33 --n 65 --k 31
#include "backends/host/product.hpp"
#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

void multiply_short(const Queue&, const MatmulF32::Args& args) {
  for (std::size_t row = 0; row < args.m; ++row)
    multiply(args.a.data() + row * args.k, args.b.data(), 1, args.n, args.k - 1,
             [&](std::size_t i, float c) { args.c[row * args.n + i] = c; });
}

const Register<MatmulF32> variant{{.idea = "broken: drops the last product", .launch = multiply_short}};

}  // namespace
}  // namespace crosswarp::host
