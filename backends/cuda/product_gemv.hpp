// GEMV of products whose elements are of the type of their sums, and whose B is not transposed: what `gemv` of
// matmul_f32 and matmul_f64 have beside their kernels.
#pragma once

#include <limits>
#include <vector>

#include "backends/cuda/gemv.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {
namespace {

constexpr std::size_t by_shape = 0;  // tuning `columns`: best_columns()

/// Where rows run along n, a block's columns are not halved below these, as measured on an H100 at 40 products of
/// floats: a line of 128 bytes; more of them where rows and sums are long. Where loads are of one element, and columns
/// give each multiprocessor a block but no second one, fewer bring more bytes in flight, which sums of several passes
/// of loads gain by.
template <class T>
std::size_t best_columns(const DeviceInfo& device, const Problem<T>& problem) {
  constexpr std::size_t line = 128 / sizeof(T), long_row = 128 * line, long_sum = 3000, several_passes = 1024;
  const auto [data, rows, columns] = problem.matrix;
  const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
  const std::size_t blocks = blocks_for(columns, line);
  if (problem.width == 1 && rows >= several_passes && blocks < units && 2 * blocks > units) return line / 2;
  return columns >= long_row && rows >= long_sum ? 4 * line : line;
}

/// `Kernels`: a variant's __global__ functions, dot<width, lanes>() and combine<width>(), as launch_gemv() calls them.
template <class E, class Kernels>
struct OfProduct {
  using Args = typename E::Args;

  static auto problem_of(const Args& args) {
    return Problem(args.a.data(), args.b.data(), args.m, args.n, args.k, false);
  }
  /// `columns`: the least; 0: by shape.
  static std::size_t least_columns(const Queue& queue, const Args& args, std::size_t columns) {
    return columns == by_shape ? best_columns(queue.device, problem_of(args)) : columns;
  }
  static std::size_t workspace_bytes(const Queue& queue, const Args& args, std::size_t columns = by_shape) {
    if (args.c.empty() || args.k == 0) return 0;
    return gemv::workspace_bytes(queue.device, problem_of(args), least_columns(queue, args, columns));
  }
  static void gemm(const Queue& queue, const Args& args, std::size_t columns = by_shape) {
    if (args.c.empty()) return;
    if (args.k == 0) return clear(queue, args.c);
    launch_gemv(
        queue, problem_of(args), least_columns(queue, args, columns), SumOutput{args.c.data()},
        [&]<unsigned width, unsigned lanes>() { return Kernels::template dot<width, lanes>(); },
        [&]<unsigned width>() { return Kernels::template combine<width>(); });
  }
  /// Infinity where it is not for this shape.
  static double expected_cycles(const Queue& queue, const Args& args) {
    if (!is_for(args.m, args.n) || args.c.empty() || args.k == 0) return std::numeric_limits<double>::infinity();
    return gemv::expected_cycles(queue.device, problem_of(args), least_columns(queue, args, by_shape));
  }

  static std::size_t tuned_columns(const Queue& queue) { return static_cast<std::size_t>(queue.tuning["columns"]); }
  static std::size_t tuned_workspace(const Queue& queue, const Args& args) {
    return workspace_bytes(queue, args, tuned_columns(queue));
  }
  static void launch_tuned(const Queue& queue, const Args& args) {
    gemm(pdl_by_tuning(queue), args, tuned_columns(queue));
  }
  static bool applies(const Point& point) { return is_for(shape_of(point).m, shape_of(point).n); }
};

/// columns: where rows run along n, a block's columns are not halved below these; 0: by shape. pdl: programmatic
/// dependent launch.
inline Tuning product_tuning(int columns, int pdl = 1) { return {{{"columns", columns}, {"pdl", pdl}}}; }

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
