// GEMV, one row or one column of C, of any alignment: dot products of rows of A by groups of threads, or sums of rows
// of B by blocks that share k. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/gemv/product.hpp"
#include "backends/cuda/matmul_f32/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_gemv {

using Product = gemv::SumProduct<MatmulF32, struct Kernels>;

std::optional<Choice<MatmulF32>> choice(const Queue& queue, const MatmulF32::Args& args) {
  return gemv::choice<Product>(queue, args);
}

using Launch = gemv::Variant<Product, gemv::choice_by_columns<Product>>;

/// columns: of a block, where rows run along n; 0: the cheapest. pdl: programmatic dependent launch.
Tuning tuning(int columns, int pdl = 1) { return {{{"columns", columns}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea = "one row or column: dot products by groups of threads, or sums of rows of B by blocks that share k",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "few_rows",
    .tunings = {tuning(0), tuning(0, 0), tuning(16), tuning(32), tuning(64), tuning(128)},
    .applies = [](const Point& point) { return gemv::is_for(shape_of(point).m, shape_of(point).n); },
    .workspace = Launch::workspace,
    .launch = Launch::launch,
    .instructions = {{"LDG.E.128", 8}},
}};

}  // namespace matmul_f32_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
