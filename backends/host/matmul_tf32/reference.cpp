// B untransposed in the workspace, then a GEMM of floats, which keeps more bits than TF32. Bound by the loads of B.
#include "backends/host/gemm.hpp"
#include "backends/host/queue.hpp"
#include "experiments/matmul_tf32.hpp"

namespace crosswarp::host {
namespace {

using Args = MatmulTf32::Args;

std::size_t workspace(const Queue&, const Args& args) { return args.b.size_bytes(); }

void untranspose_and_gemm(const Queue& queue, const Args& args) {
  auto* const b = reinterpret_cast<float*>(queue.workspace.data());
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < args.k; ++row)
    for (std::size_t column = 0; column < args.n; ++column) b[row * args.n + column] = args.b[column * args.k + row];
  gemm(args.a.data(), b, args.m, args.n, args.k, [&](std::size_t i, float c) { args.c[i] = c; });
}

const Register<MatmulTf32> variant{{
    .idea = "in float: B untransposed, then rows of C over all cores, vectorised",
    .bound_by = "loads of B from cache",
    .workspace = workspace,
    .launch = untranspose_and_gemm,
}};

}  // namespace
}  // namespace crosswarp::host
