// Rows of C over all cores, 256 columns at a time, whose sums stay in L1. Bound by the loads of B: one for each
// multiply-add, vectorised.
#include "backends/host/gemm.hpp"
#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

void gemm_rows(const Queue&, const MatmulF32::Args& args) {
  gemm(args.a.data(), args.b.data(), args.m, args.n, args.k, [&](std::size_t i, float c) { args.c[i] = c; });
}

const Register<MatmulF32> variant{{
    .idea = "rows of C over all cores, 256 columns at a time, vectorised",
    .bound_by = "loads of B from cache",
    .launch = gemm_rows,
}};

}  // namespace
}  // namespace crosswarp::host
