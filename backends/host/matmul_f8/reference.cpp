// A and B widened to float in the workspace, B untransposed, then a GEMM of floats. Bound by the loads of B.
#include "backends/host/gemm.hpp"
#include "backends/host/queue.hpp"
#include "core/float8.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::host {
namespace {

using Args = MatmulF8::Args;

std::size_t workspace(const Queue&, const Args& args) { return (args.a.size() + args.b.size()) * sizeof(float); }

void widen_and_gemm(const Queue& queue, const Args& args) {
  auto* const a = reinterpret_cast<float*>(queue.workspace.data());
  auto* const b = a + args.a.size();
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < args.a.size(); ++i)
    a[i] = args.e5m2 ? to_float(E5m2{args.a[i]}) : to_float(E4m3{args.a[i]});
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < args.k; ++row)
    for (std::size_t column = 0; column < args.n; ++column)
      b[row * args.n + column] = to_float(E4m3{args.b[column * args.k + row]});
  const float scale = args.scales.empty() ? 1 : args.scales[0] * args.scales[MatmulF8::factor_pitch];
  gemm(a, b, args.m, args.n, args.k, [&](std::size_t i, float sum) {
    if (args.f32_out)
      args.c_as<float>()[i] = scale * sum;
    else
      args.c_as<Bfloat16>()[i] = to_bfloat16(scale * sum);
  });
}

const Register<MatmulF8> variant{{
    .idea = "A and B widened to float, then rows of C over all cores, vectorised",
    .bound_by = "loads of B from cache",
    .workspace = workspace,
    .launch = widen_and_gemm,
}};

}  // namespace
}  // namespace crosswarp::host
