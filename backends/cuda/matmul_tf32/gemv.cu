// GEMV, one row or one column of C: dot products of rows of the other operand by groups of threads, in float
// throughout. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/gemv/dot_rows.hpp"

#include <limits>

#include "backends/cuda/matmul_tf32/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_gemv {

using Values = gemv::IdentityOf<struct Kernels>;

gemv::Problem<float> problem_of(const MatmulTf32::Args& args) {
  return {args.a.data(), args.b.data(), args.m, args.n, args.k, true};
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  if (args.c.empty()) return;
  if (args.k == 0) return clear(queue, args.c);
  gemv::launch_multiply_rows<Values>(queue, problem_of(args), gemv::SumOutput<float>{args.c.data()});
}

double expected_cycles(const Queue& queue, const MatmulTf32::Args& args) {
  if (!gemv::is_for(args.m, args.n) || args.c.empty() || args.k == 0) return std::numeric_limits<double>::infinity();
  return gemv::dot_cycles(queue.device, problem_of(args));
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
