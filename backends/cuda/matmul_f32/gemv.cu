// GEMV, one row or one column of C, of any alignment: dot products of rows of A by groups of threads, or sums of rows
// of B by blocks that share k. Bound by memory bandwidth; small ones by latency.
#include <limits>

#include "backends/cuda/gemv.hpp"
#include "backends/cuda/matmul_f32/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_gemv {

using Matrix = gemv::Matrix<float>;
using Problem = gemv::Problem<float>;

template <unsigned width, unsigned lanes>
__global__ void __launch_bounds__(gemv::dot_block, gemv::dot_min_blocks(sizeof(float) * width))
    dot_rows(Matrix matrix, const float* vector, gemv::FloatOutput c) {
  gemv::dot_rows<width, lanes>(matrix, vector, c, gemv::Identity(), gemv::Identity());
}

template <unsigned width>
__global__ void __launch_bounds__(gemv::combine_block, gemv::combine_min_blocks)
    combine_rows(Matrix matrix, const float* vector, unsigned lanes, std::size_t block_depth, unsigned* finished,
                 float* partials, gemv::FloatOutput c) {
  gemv::combine_rows<width>(matrix, vector, lanes, block_depth, finished, partials, c, gemv::Identity());
}

Problem problem_of(const MatmulF32::Args& args) {
  return {args.a.data(), args.b.data(), args.m, args.n, args.k, false};
}

constexpr std::size_t by_shape = 0;  // tuning `columns`: best_columns()

/// Where rows run along n, a block's columns are not halved below these, as measured on an H100 at 40 products: 32 are
/// a line of 128 bytes; more of them where rows and sums are long. Where loads are of one element, and columns give
/// each multiprocessor a block but no second one, fewer bring more bytes in flight, which sums of several passes of
/// loads gain by.
std::size_t best_columns(const DeviceInfo& device, const Problem& problem) {
  constexpr std::size_t line = 32, long_row = 4096, long_sum = 3000, several_passes = 1024;
  const auto [data, rows, columns] = problem.matrix;
  const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
  const std::size_t blocks = blocks_for(columns, line);
  if (problem.width == 1 && rows >= several_passes && blocks < units && 2 * blocks > units) return line / 2;
  return columns >= long_row && rows >= long_sum ? 4 * line : line;
}

/// `columns`: the least; 0: by shape.
std::size_t least_columns(const Queue& queue, const MatmulF32::Args& args, std::size_t columns) {
  return columns == by_shape ? best_columns(queue.device, problem_of(args)) : columns;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args, std::size_t columns) {
  if (args.c.empty() || args.k == 0) return 0;
  return gemv::workspace_bytes(queue.device, problem_of(args), least_columns(queue, args, columns));
}

void gemm(const Queue& queue, const MatmulF32::Args& args, std::size_t columns) {
  if (args.c.empty()) return;
  if (args.k == 0) return clear(queue, args.c);
  gemv::launch_gemv(
      queue, problem_of(args), least_columns(queue, args, columns), gemv::FloatOutput{args.c.data()},
      [&]<unsigned width, unsigned lanes>() { return dot_rows<width, lanes>; },
      [&]<unsigned width>() { return combine_rows<width>; });
}

bool is_for(std::size_t m, std::size_t n) { return gemv::is_for(m, n); }

double expected_cycles(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty() || args.k == 0) return std::numeric_limits<double>::infinity();
  return gemv::expected_cycles(queue.device, problem_of(args), least_columns(queue, args, by_shape));
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args) {
  return workspace_bytes(queue, args, by_shape);
}
void gemm(const Queue& queue, const MatmulF32::Args& args) { gemm(queue, args, by_shape); }

std::size_t tuned_columns(const Queue& queue) { return static_cast<std::size_t>(queue.tuning["columns"]); }
std::size_t tuned_workspace(const Queue& queue, const MatmulF32::Args& args) {
  return workspace_bytes(queue, args, tuned_columns(queue));
}
void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_columns(queue));
}

bool applies(const Point& point) { return is_for(shape_of(point).m, shape_of(point).n); }

/// columns: where rows run along n, a block's columns are not halved below these; 0: by shape. pdl: programmatic
/// dependent launch.
Tuning tuning(int columns, int pdl = 1) { return {{{"columns", columns}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea = "one row or column: dot products by groups of threads, or sums of rows of B by blocks that share k",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "few_rows",
    .tunings = {tuning(by_shape), tuning(by_shape, 0), tuning(16), tuning(32), tuning(64), tuning(128)},
    .applies = applies,
    .workspace = tuned_workspace,
    .launch = launch_tuned,
    .instructions = {{"LDG.E.128", 8}},
}};

}  // namespace matmul_f32_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
