// Matrix instructions of single warps, fed by ldmatrix from swizzled tiles that copies (cp.async) bring two stages
// ahead. Bound by these instructions, which reach about 60 % of Hopper's matrix units.
#include "backends/cuda/matmul_f16/product_by_mma.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
void multiply(const Queue& queue, const MatmulF16::Args& args) {
  multiply_by_mma(queue, args, static_cast<unsigned>(queue.tuning["raster"]));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "mma.sync fed by ldmatrix from a swizzled ring of asynchronous copies: bound by a warp's instructions",
    .improves = "wmma_shared",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 8}}}, {{{"raster", 1}}}, {{{"raster", 16}}}},
    .launch = multiply,
    .instructions = {{"HMMA.16816.F32", 128}, {"LDSM.16.M88.4", 16}, {"LDSM.16.MT88.4", 16}, {"LDGSTS", 16}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
