// GEMV, one row or one column of C, of any alignment: dot products of rows by groups of threads, or sums of rows of B
// by blocks that share k. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/matmul_f16/gemv.hpp"

#include "backends/cuda/matmul_f16/gemv_product.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_gemv {

std::optional<Choice<MatmulF16>> choice(const Queue& queue, const MatmulF16::Args& args) {
  return gemv::choice<HalfProduct>(queue, args);
}

using Launch = gemv::Variant<HalfProduct, gemv::choice_by_columns<HalfProduct>>;

/// columns: of a block, where rows run along n; 0: the cheapest. pdl: programmatic dependent launch.
Tuning tuning(int columns, int pdl = 1) { return {{{"columns", columns}, {"pdl", pdl}}}; }

const Register<MatmulF16> variant{{
    .idea = "one row or column: dot products by groups of threads, or sums of rows of B by blocks that share k",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "skinny",
    .tunings = {tuning(0), tuning(0, 0), tuning(32), tuning(64), tuning(128), tuning(256)},
    .applies = [](const Point& point) { return gemv::is_for(shape_of(point).m, shape_of(point).n); },
    .workspace = Launch::workspace,
    .launch = Launch::launch,
}};

}  // namespace matmul_f16_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
