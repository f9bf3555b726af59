// Hopper's matrix instructions of four warps (wgmma), which read their factors from shared memory by themselves. All
// threads copy (cp.async) and all multiply: bound by the barrier between the two in each stage.
#include "backends/cuda/matmul_f16/product_by_wgmma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
void multiply(const Queue& queue, const MatmulF16::Args& args) {
  multiply_by_wgmma(queue, args, static_cast<unsigned>(queue.tuning["raster"]));
}
#endif

const Register<MatmulF16> variant{{
    .idea =
        "wgmma from a swizzled ring that all threads fill by asynchronous copies: bound by a barrier for each stage",
    .improves = "mma_multistage",
    .needs = {"ptx", "wgmma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 8}}}, {{{"raster", 1}}}},
    .launch = multiply,
    .instructions = {{"HGMMA.64x128x16.F32", 4}, {"LDGSTS", 8}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
