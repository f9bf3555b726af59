// One thread for each element of C, straight from memory. Bound by load requests for single bytes, and by widening
// them.
#include "backends/cuda/matmul_f8/operands.hpp"

namespace crosswarp::gpu {
namespace {

constexpr unsigned block = 256;

/// Neighbouring threads compute neighbouring columns. `A` is the type of A's elements.
template <class A>
__global__ void __launch_bounds__(block) gemm_naive(Matrix8 a, Matrix8 b, ScaledOutput c) {
  const std::size_t i = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (i >= std::size_t{c.rows} * c.columns) return;
  const std::uint8_t* const row = a.data + i / c.columns * a.columns;
  const std::uint8_t* const column = b.data + i % c.columns * b.columns;
  float sum = 0;
  for (unsigned l = 0; l < a.columns; ++l) sum += to_float(A{row[l]}) * to_float(E4m3{column[l]});
  c.store_at(i, sum);
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (finish_if_empty(queue, args)) return;
  with_type_of_a(args, [&]<class A>() {
    launch(gemm_naive<A>, blocks_for(args.m * args.n, block), block, 0, queue, matrix_a(args), matrix_b(args),
           scaled_output(args));
  });
}

const Register<MatmulF8> variant{{
    .idea = "one thread for each element of C, straight from memory",
    .bound_by = "load requests for single bytes",
    .applies = [](const Point& point) { return is_short_for_strided_lanes(shape_of(point)); },
    .launch = gemm,
}};

}  // namespace
}  // namespace crosswarp::gpu
