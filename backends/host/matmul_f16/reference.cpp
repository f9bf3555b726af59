// A and B widened to float in the workspace, B untransposed, then the product of floats. Bound by the loads of B.
#include "backends/host/product.hpp"
#include "backends/host/queue.hpp"
#include "core/half.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::host {
namespace {

using Args = MatmulF16::Args;

std::size_t workspace(const Queue&, const Args& args) { return (args.a.size() + args.b.size()) * sizeof(float); }

template <class T>
void multiply_as(const Args& args, float* a, float* b) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < args.a.size(); ++i) a[i] = to_float(T{args.a[i]});
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < args.k; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      const std::size_t i = row * args.n + column;
      b[i] = to_float(T{args.b[args.b_transposed ? column * args.k + row : i]});
    }
  multiply(a, b, args.m, args.n, args.k, [&](std::size_t i, float c) {
    if (args.f32_out)
      args.c_as<float>()[i] = c;
    else if constexpr (std::is_same_v<T, Half>)
      args.c_as<T>()[i] = to_half(c);
    else
      args.c_as<T>()[i] = to_bfloat16(c);
  });
}

void widen_and_multiply(const Queue& queue, const Args& args) {
  auto* const a = reinterpret_cast<float*>(queue.workspace.data());
  auto* const b = a + args.a.size();
  if (args.bf16)
    multiply_as<Bfloat16>(args, a, b);
  else
    multiply_as<Half>(args, a, b);
}

const Register<MatmulF16> variant{{
    .idea = "A and B widened to float, then rows of C over all cores, vectorised: bound by the loads of B",
    .workspace = workspace,
    .launch = widen_and_multiply,
}};

}  // namespace
}  // namespace crosswarp::host
