// GEMV, one row or one column of C: dot products of rows of the other operand by groups of threads, in float
// throughout. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/gemv.hpp"

#include <limits>

#include "backends/cuda/matmul_tf32/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_gemv {

using Matrix = gemv::Matrix<float>;

/// C, a vector.
struct Output {
  float* data;

  __device__ void store_at(std::size_t i, float sum) const { data[i] = sum; }
};

struct Identity {
  __device__ float operator()(float element) const { return element; }
};

template <unsigned width, unsigned lanes>
__global__ void __launch_bounds__(gemv::dot_block, gemv::dot_min_blocks(sizeof(float) * width))
    dot_rows(Matrix matrix, const float* vector, Output c) {
  gemv::dot_rows<width, lanes>(matrix, vector, c, Identity());
}

gemv::Problem<float> problem_of(const MatmulTf32::Args& args) {
  return {args.a.data(), args.b.data(), args.m, args.n, args.k, true};
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  if (args.c.empty()) return;
  if (args.k == 0) return clear(queue, args.c);
  const gemv::Problem<float> problem = problem_of(args);
  with_constant<1, 2, 4>(problem.width, [&]<unsigned width>() {
    with_constant<1, 8, 32, gemv::dot_block>(gemv::lanes_for(queue.device, problem), [&]<unsigned lanes>() {
      launch(dot_rows<width, lanes>, blocks_for(problem.matrix.rows, gemv::dot_block / lanes), gemv::dot_block, 0,
             queue, problem.matrix, problem.vector, Output{args.c.data()});
    });
  });
}

double expected_cycles(const Queue& queue, const MatmulTf32::Args& args) {
  if (!gemv::is_for(args.m, args.n) || args.c.empty() || args.k == 0) return std::numeric_limits<double>::infinity();
  return gemv::expected_cycles(queue.device, problem_of(args), 0);
}

void launch_tuned(const Queue& queue, const MatmulTf32::Args& args) { gemm(pdl_by_tuning(queue), args); }

bool applies(const Point& point) { return gemv::is_for(shape_of(point).m, shape_of(point).n); }

const Register<MatmulTf32> variant{{
    .idea = "one row or column: dot products by groups of threads, in float",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "naive",
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .applies = applies,
    .launch = launch_tuned,
    .instructions = {{"LDG.E.128", 8}},
}};

}  // namespace matmul_tf32_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
