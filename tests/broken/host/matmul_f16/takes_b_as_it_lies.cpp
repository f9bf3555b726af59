// Ignores the layout: reads a transposed B as if it were not. Every element of B is still used equally often.
// at: --m 33 --n 31 --k 31 --layout tn
#include "backends/host/queue.hpp"
#include "core/half.hpp"
#include "experiments/matmul_f16.hpp"

namespace crosswarp::host {
namespace {

void gemm_untransposed(const Queue&, const MatmulF16::Args& args) {
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float sum = 0;
      for (std::size_t l = 0; l < args.k; ++l)
        sum += to_float(Half{args.a[row * args.k + l]}) * to_float(Half{args.b[l * args.n + column]});
      args.c_as<Half>()[row * args.n + column] = to_half(sum);
    }
}

const Register<MatmulF16> variant{{.idea = "broken: takes B as it lies", .launch = gemm_untransposed}};

}  // namespace
}  // namespace crosswarp::host
