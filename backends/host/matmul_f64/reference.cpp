// Rows of C over all cores, 256 columns at a time, whose sums stay in L1. Bound by the loads of B: one for each
// multiply-add, vectorised.
#include "backends/host/gemm.hpp"
#include "backends/host/queue.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::host {
namespace {

void gemm_rows(const Queue&, const MatmulF64::Args& args) {
  gemm(args.a.data(), args.b.data(), args.m, args.n, args.k, [&](std::size_t i, double c) { args.c[i] = c; });
}

const Register<MatmulF64> variant{{
    .idea = "rows of C over all cores, 256 columns at a time, vectorised",
    .bound_by = "loads of B from cache",
    .launch = gemm_rows,
}};

}  // namespace
}  // namespace crosswarp::host
