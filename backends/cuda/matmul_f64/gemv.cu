// GEMV, one row or one column of C, of any alignment: dot products of rows of A by groups of threads, or sums of rows
// of B by blocks that share k. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/matmul_f64/dispatch.hpp"
#include "backends/cuda/product_gemv.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f64_gemv {

using Matrix = gemv::Matrix<double>;
using Output = gemv::SumOutput<double>;

template <unsigned width, unsigned lanes, unsigned loads>
__global__ void __launch_bounds__(gemv::dot_block, gemv::dot_min_blocks(sizeof(double) * width))
    dot_rows(Matrix matrix, const double* vector, Output c) {
  gemv::dot_rows<width, lanes, loads>(matrix, vector, c, gemv::Identity(), gemv::Identity());
}

template <unsigned width>
__global__ void __launch_bounds__(gemv::combine_block, gemv::combine_min_blocks)
    combine_rows(Matrix matrix, const double* vector, unsigned lanes, std::size_t block_depth, unsigned* finished,
                 double* partials, Output c) {
  gemv::combine_rows<width>(matrix, vector, lanes, block_depth, finished, partials, c, gemv::Identity());
}

struct Kernels {
  template <unsigned width, unsigned lanes, unsigned loads>
  static auto* dot() {
    return dot_rows<width, lanes, loads>;
  }
  template <unsigned width>
  static auto* combine() {
    return combine_rows<width>;
  }
};

using Gemv = gemv::OfProduct<MatmulF64, Kernels>;

double expected_cycles(const Queue& queue, const MatmulF64::Args& args) { return Gemv::expected_cycles(queue, args); }

std::size_t workspace_bytes(const Queue& queue, const MatmulF64::Args& args) {
  return Gemv::workspace_bytes(queue, args);
}

void gemm(const Queue& queue, const MatmulF64::Args& args) { Gemv::gemm(queue, args); }

const Register<MatmulF64> variant{{
    .idea = "one row or column: dot products by groups of threads, or sums of rows of B by blocks that share k",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "naive",
    .tunings = {gemv::product_tuning(0), gemv::product_tuning(0, 0), gemv::product_tuning(8), gemv::product_tuning(16),
                gemv::product_tuning(32), gemv::product_tuning(64)},
    .applies = Gemv::applies,
    .workspace = Gemv::tuned_workspace,
    .launch = Gemv::launch_tuned,
    .instructions = {{"LDG.E.128", 8}},
}};

}  // namespace matmul_f64_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
