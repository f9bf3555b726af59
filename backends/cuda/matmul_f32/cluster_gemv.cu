// GEMV, one row of C, of any alignment: as gemv, but the blocks that share k are a cluster, whose first block adds
// their sums from its own shared memory. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/gemv/product.hpp"
#include "backends/cuda/matmul_f32/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_cluster_gemv {

#if CROSSWARP_HAS_PTX
using Product = gemv::SumProduct<MatmulF32, struct Kernels>;

std::optional<Choice<MatmulF32>> choice(const Queue& queue, const MatmulF32::Args& args) {
  return gemv::cluster_choice<Product>(queue, args);
}

using Launch = gemv::Variant<Product, gemv::choice_by_splits<Product>>;

/// splits: most blocks of a cluster; 0: the cheapest. pdl: programmatic dependent launch.
Tuning tuning(int splits, int pdl = 1) { return {{{"splits", splits}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF32> variant{{
    .idea = "the blocks that share k are a cluster: sums through distributed shared memory, not by the last block",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "gemv",
    .needs = {"ptx", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(2), tuning(4), tuning(8)},
    .applies = [](const Point& point) { return shape_of(point).m == 1 && shape_of(point).n > 1; },
    .launch = Launch::launch,
    .instructions = {{"LDG.E.128", 8}},
#endif
}};

}  // namespace matmul_f32_cluster_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
