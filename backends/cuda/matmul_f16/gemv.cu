// GEMV, one row or one column of C, of any alignment: dot products of rows by groups of threads, or sums of rows of B
// by blocks that share k. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/matmul_f16/gemv.hpp"

#include <limits>

#include "backends/cuda/gemv.hpp"
#include "backends/cuda/matmul_f16/value_of.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_gemv {

using Matrix = gemv::Matrix<std::uint16_t>;
using Problem = gemv::Problem<std::uint16_t>;

/// Conversion of a load.
template <bool bf16>
struct ToFloats {
  template <unsigned width>
  __device__ gemv::Elements<float, width> operator()(const gemv::Elements<std::uint16_t, width>& elements) const {
    gemv::Elements<float, width> values;
#pragma unroll
    for (unsigned i = 0; i < width; ++i) values.of[i] = value_of<bf16>(elements.of[i]);
    return values;
  }
};

template <bool bf16, unsigned width, unsigned lanes, unsigned loads>
static __global__ void __launch_bounds__(gemv::dot_block, gemv::dot_min_blocks(2 * width))
    dot_rows(Matrix matrix, const std::uint16_t* vector, Output c) {
  gemv::dot_rows<width, lanes, loads>(matrix, vector, c, ToFloats<bf16>(), ToFloats<bf16>());
}

template <bool bf16, unsigned width>
static __global__ void __launch_bounds__(gemv::combine_block, gemv::combine_min_blocks)
    combine_rows(Matrix matrix, const std::uint16_t* vector, unsigned lanes, std::size_t block_depth,
                 unsigned* finished, float* partials, Output c) {
  gemv::combine_rows<width>(matrix, vector, lanes, block_depth, finished, partials, c, ToFloats<bf16>());
}

Problem problem_of(const MatmulF16::Args& args) {
  return {args.a.data(), args.b.data(), args.m, args.n, args.k, args.b_transposed};
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, std::size_t columns) {
  if (args.c.empty() || args.k == 0) return 0;
  return gemv::workspace_bytes(queue.device, problem_of(args), columns);
}

template <bool bf16>
void launch_typed(const Queue& queue, const MatmulF16::Args& args, std::size_t columns) {
  gemv::launch_gemv(
      queue, problem_of(args), columns, Output(args),
      [&]<unsigned width, unsigned lanes, unsigned loads>() { return dot_rows<bf16, width, lanes, loads>; },
      [&]<unsigned width>() { return combine_rows<bf16, width>; });
}

void gemm(const Queue& queue, const MatmulF16::Args& args, std::size_t columns) {
  if (finish_if_empty(queue, args)) return;
  args.bf16 ? launch_typed<true>(queue, args, columns) : launch_typed<false>(queue, args, columns);
}

constexpr std::size_t any = 0;  // tuning `columns`

double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  if (args.c.empty() || args.k == 0 || !gemv::is_for(args.m, args.n)) return std::numeric_limits<double>::infinity();
  return gemv::expected_cycles(queue.device, problem_of(args));
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, any);
}
void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, any); }

std::size_t tuned_columns(const Queue& queue) { return static_cast<std::size_t>(queue.tuning["columns"]); }
std::size_t tuned_workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, tuned_columns(queue));
}
void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_columns(queue));
}

/// columns: of a block, where rows run along n; 0: the cheapest. pdl: programmatic dependent launch.
Tuning tuning(int columns, int pdl = 1) { return {{{"columns", columns}, {"pdl", pdl}}}; }

const Register<MatmulF16> variant{{
    .idea = "one row or column: dot products by groups of threads, or sums of rows of B by blocks that share k",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "skinny",
    .tunings = {tuning(any), tuning(any, 0), tuning(32), tuning(64), tuning(128), tuning(256)},
    .applies = [](const Point& point) { return gemv::is_for(shape_of(point).m, shape_of(point).n); },
    .workspace = tuned_workspace,
    .launch = launch_tuned,
}};

}  // namespace matmul_f16_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
