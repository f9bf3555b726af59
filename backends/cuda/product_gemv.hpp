// GEMV of products whose elements are of the type of their sums, and whose B is not transposed: what `gemv` of
// matmul_f32 and matmul_f64 have beside their kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "backends/cuda/gemv.hpp"
#include "backends/gpu/kernel.hpp"
#include "experiments/matmul.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace gemv {
namespace {

/// `Kernels`: a variant's __global__ functions, dot<width, lanes, loads>() and combine<width>(), as launch_gemv() calls
/// them.
template <class E, class Kernels>
struct OfProduct {
  using Args = typename E::Args;
  using C = SumOutput<typename decltype(Args::c)::value_type>;

  static auto problem_of(const Args& args) {
    return Problem(args.a.data(), args.b.data(), args.m, args.n, args.k, false);
  }
  static std::size_t workspace_bytes(const Queue& queue, const Args& args, std::size_t columns = 0) {
    if (args.c.empty() || args.k == 0) return 0;
    return gemv::workspace_bytes(queue.device, problem_of(args), columns);
  }
  static void gemm(const Queue& queue, const Args& args, std::size_t columns = 0) {
    if (args.c.empty()) return;
    if (args.k == 0) return clear(queue, args.c);
    launch_gemv(
        queue, problem_of(args), columns, C{args.c.data()},
        [&]<unsigned width, unsigned lanes, unsigned loads>() { return Kernels::template dot<width, lanes, loads>(); },
        [&]<unsigned width>() { return Kernels::template combine<width>(); });
  }
  /// Infinity where it is not for this shape.
  static double expected_cycles(const Queue& queue, const Args& args) {
    if (!is_for(args.m, args.n) || args.c.empty() || args.k == 0) return std::numeric_limits<double>::infinity();
    return gemv::expected_cycles(queue.device, problem_of(args));
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

/// columns: of a block, where rows run along n; 0: the cheapest. pdl: programmatic dependent launch.
inline Tuning product_tuning(int columns, int pdl = 1) { return {{{"columns", columns}, {"pdl", pdl}}}; }

}  // namespace
}  // namespace gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
