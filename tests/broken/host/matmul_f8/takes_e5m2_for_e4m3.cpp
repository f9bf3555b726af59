// Reads A as E4M3 where it is E5M2: signs are right, magnitudes are not.
// at: --m 33 --n 31 --k 31 --type e5m2
#include "backends/host/queue.hpp"
#include "core/float8.hpp"
#include "experiments/matmul_f8.hpp"

namespace crosswarp::host {
namespace {

void gemm_as_e4m3(const Queue&, const MatmulF8::Args& args) {
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float sum = 0;
      for (std::size_t l = 0; l < args.k; ++l)
        sum += to_float(E4m3{args.a[row * args.k + l]}) * to_float(E4m3{args.b[column * args.k + l]});
      args.c_as<Bfloat16>()[row * args.n + column] = to_bfloat16(sum);
    }
}

const Register<MatmulF8> variant{{.idea = "broken: takes E5M2 for E4M3", .launch = gemm_as_e4m3}};

}  // namespace
}  // namespace crosswarp::host
