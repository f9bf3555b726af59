// Truncates operands to TF32, as a gemm on tensor cores does: 13 bits fewer.
// at: --m 48 --n 64 --k 64
#include <bit>

#include "backends/host/queue.hpp"
#include "experiments/matmul_f32.hpp"

namespace crosswarp::host {
namespace {

float to_tf32(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000u); }

void run(const Queue&, const MatmulF32::Args& args) {
  for (std::size_t row = 0; row < args.m; ++row)
    for (std::size_t column = 0; column < args.n; ++column) {
      float acc = 0;
      for (std::size_t l = 0; l < args.k; ++l)
        acc += to_tf32(args.a[row * args.k + l]) * to_tf32(args.b[l * args.n + column]);
      args.c[row * args.n + column] = acc;
    }
}

const Register<MatmulF32> variant{{.idea = "broken: rounds its operands to TF32", .launch = run}};

}  // namespace
}  // namespace crosswarp::host
