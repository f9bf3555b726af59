// Rows of C over all cores, in pieces of 256 columns whose sums stay in the first cache. Bound by the loads of B: one
// for each multiply-add, vectorised.
#include "backends/host/product.hpp"
#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

void multiply_rows(const Queue&, const MatmulF32::Args& args) {
  multiply(args.a.data(), args.b.data(), args.m, args.n, args.k, [&](std::size_t i, float c) { args.c[i] = c; });
}

const Register<MatmulF32> variant{{
    .idea = "rows of C over all cores, 256 columns at a time, vectorised: bound by the loads of B",
    .launch = multiply_rows,
}};

}  // namespace
}  // namespace crosswarp::host
