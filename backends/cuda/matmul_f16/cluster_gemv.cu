// GEMV, one row of C by layout nn, of any alignment: as gemv, but the blocks that share k are a cluster, whose first
// block adds their sums from its own shared memory. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/matmul_f16/gemv.hpp"
#include "backends/cuda/matmul_f16/gemv_product.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_cluster_gemv {

#if CROSSWARP_HAS_PTX
std::optional<Choice<MatmulF16>> choice(const Queue& queue, const MatmulF16::Args& args) {
  return gemv::cluster_choice<HalfProduct>(queue, args);
}

using Launch = gemv::Variant<HalfProduct, gemv::choice_by_splits<HalfProduct>>;

/// splits: most blocks of a cluster; 0: the cheapest. pdl: programmatic dependent launch.
Tuning tuning(int splits, int pdl = 1) { return {{{"splits", splits}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "the blocks that share k are a cluster: sums through distributed shared memory, not by the last block",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "gemv",
    .needs = {"ptx", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(2), tuning(4), tuning(8)},
    .applies =
        [](const Point& point) {
          const auto [m, n, k] = shape_of(point);
          return m == 1 && n > 1 && point.word("layout") == "nn";
        },
    .launch = Launch::launch,
#endif
}};

}  // namespace matmul_f16_cluster_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
