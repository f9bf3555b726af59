// Leaves sums in the 14 bits of Hopper's 8-bit matrix instructions, where promoted ones are asked for.
// at: --m 8 --n 8 --k 16384 --out f32 --accumulation promoted
#include "backends/gpu/kernel.hpp"
#include "core/float8.hpp"
#include "experiments/matmul_f8.hpp"
#include "tests/accumulator14.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 64;

__global__ void __launch_bounds__(block) gemm_in_14_bits(const std::uint8_t* a, const std::uint8_t* b, float* c,
                                                         std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x, row = i / n, column = i % n;
  if (row >= m) return;
  float sum = 0;
  for (std::size_t first = 0; first < k; first += products_at_once) {
    float products[products_at_once];
    for (std::size_t l = 0; l < products_at_once; ++l)
      products[l] =
          first + l < k ? to_float(E4m3{a[row * k + first + l]}) * to_float(E4m3{b[column * k + first + l]}) : 0;
    sum = add_in_14_bits(sum, products, products_at_once);
  }
  c[i] = sum;
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  launch(gemm_in_14_bits, blocks_for(args.m * args.n, block), block, 0, queue, args.a.data(), args.b.data(),
         args.c_as<float>(), args.m, args.n, args.k);
}

const Register<MatmulF8> variant{{.idea = "broken: never promotes its sums", .launch = gemm}};

}  // namespace
}  // namespace crosswarp::gpu
