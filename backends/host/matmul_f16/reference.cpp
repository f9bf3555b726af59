// A and B widened to float in the workspace, B untransposed, then a GEMM of floats. Bound by the loads of B.
#include "backends/host/gemm.hpp"
#include "backends/host/queue.hpp"
#include "core/half.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::host {
namespace {

using Args = MatmulF16::Args;

std::size_t workspace(const Queue&, const Args& args) { return (args.a.size() + args.b.size()) * sizeof(float); }

template <class T>
void gemm_as(const Args& args, float* a, float* b) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < args.a.size(); ++i) a[i] = to_float(T{args.a[i]});
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < args.k; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      const std::size_t i = row * args.n + column;
      b[i] = to_float(T{args.b[args.b_transposed ? column * args.k + row : i]});
    }
  gemm(a, b, args.m, args.n, args.k, [&](std::size_t i, float c) {
    if (args.f32_out)
      args.c_as<float>()[i] = c;
    else if constexpr (std::is_same_v<T, Half>)
      args.c_as<T>()[i] = to_half(c);
    else
      args.c_as<T>()[i] = to_bfloat16(c);
  });
}

void widen_and_gemm(const Queue& queue, const Args& args) {
  auto* const a = reinterpret_cast<float*>(queue.workspace.data());
  auto* const b = a + args.a.size();
  if (args.bf16)
    gemm_as<Bfloat16>(args, a, b);
  else
    gemm_as<Half>(args, a, b);
}

const Register<MatmulF16> variant{{
    .idea = "A and B widened to float, then rows of C over all cores, vectorised",
    .bound_by = "loads of B from cache",
    .workspace = workspace,
    .launch = widen_and_gemm,
}};

}  // namespace
}  // namespace crosswarp::host
