// A thread for each element of C, which reads its row of A and its column of B from memory as they are. Bound by the
// requests for single 16-bit elements.
#include "backends/cuda/matmul_f16/product.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// Neighbouring threads have neighbouring columns. `Element` is Half or Bfloat16.
template <class Element, bool b_transposed>
__global__ void __launch_bounds__(block) multiply_each(Factor a, Factor b, Output c) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= std::size_t{c.rows} * c.columns) return;
  const auto row = static_cast<unsigned>(i / c.columns), column = static_cast<unsigned>(i % c.columns);
  float sum = 0;
  for (unsigned l = 0; l < a.columns; ++l) {
    const std::size_t of_b = b_transposed ? std::size_t{column} * b.columns + l : std::size_t{l} * b.columns + column;
    sum += widened(Element{a.at[std::size_t{row} * a.columns + l]}) * widened(Element{b.at[of_b]});
  }
  c.store(row, column, sum);
}

void multiply(const Queue& queue, const MatmulF16::Args& args) {
  if (is_done_without_factors(queue, args)) return;
  with_factors(args, [&]<bool bf16, bool b_transposed>() {
    launch(multiply_each<std::conditional_t<bf16, Bfloat16, Half>, b_transposed>, blocks_for(args.m * args.n, block),
           block, 0, queue, factor_a(args), factor_b(args), Output(args));
  });
}

const Register<MatmulF16> variant{{
    .idea = "a thread for each element of C, straight from memory: bound by requests for single elements",
    .launch = multiply,
}};

}  // namespace
}  // namespace crosswarp::gpu
