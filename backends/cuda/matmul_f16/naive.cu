// One thread for each element of C, straight from memory. Bound by load requests for single 16-bit elements.
#include "backends/cuda/tensor_gemm/operands.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// Neighbouring threads compute neighbouring columns. `Element` is Half or Bfloat16.
template <class Element, bool b_transposed>
__global__ void __launch_bounds__(block) gemm_naive(Operand a, Operand b, Output c) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= std::size_t{c.rows} * c.columns) return;
  const auto row = static_cast<unsigned>(i / c.columns), column = static_cast<unsigned>(i % c.columns);
  float sum = 0;
  for (unsigned l = 0; l < a.columns; ++l) {
    const std::size_t in_b = b_transposed ? std::size_t{column} * b.pitch + l : std::size_t{l} * b.pitch + column;
    sum += widened(Element{a.data[std::size_t{row} * a.pitch + l]}) * widened(Element{b.data[in_b]});
  }
  c.store(row, column, sum);
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_naive<std::conditional_t<bf16, Bfloat16, Half>, b_transposed>, blocks_for(args.m * args.n, block),
           block, 0, queue, operand_a(args), operand_b(args), Output(args));
  });
}

const Register<MatmulF16> variant{{
    .idea = "one thread for each element of C, straight from memory",
    .bound_by = "load requests for single elements",
    .applies =
        [](const Point& point) { return point.word("layout") == "nn" || is_short_for_strided_lanes(shape_of(point)); },
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
