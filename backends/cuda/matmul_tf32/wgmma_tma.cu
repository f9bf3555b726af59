// Warp specialization: one thread loads k-tiles by TMA into a ring, full and empty mbarriers hand them to two
// warpgroups that only multiply (wgmma), which reads floats and drops their last 13 bits. A pass before splits the
// operands of 3xTF32, and copies rows that begin off 16 bytes, where TMA cannot load. Bound by the matrix units within
// a tile, and by shared memory.
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/warp_specialized_gemm.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_wgmma_tma {

#if CROSSWARP_HAS_PTX
using Tile = WarpSpecializedTile<256, 4>;

__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] unsigned k_tiles,
                [[maybe_unused]] Raster raster, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  warp_specialized_gemm<WgmmaKMajor<float>, false, Tile>(a, b, k_tiles, raster, c, Unscaled());
#endif
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const Tf32Operands operands(args, queue.workspace);
  operands.launch_copies(queue);
  const auto& [a, b] = operands.multiplied();
  const Raster raster{blocks_for(args.m, Tile::rows), blocks_for(args.n, Tile::columns),
                      static_cast<unsigned>(queue.tuning["raster"])};
  launch(gemm_kernel, raster.count(), Tile::threads, Tile::Ring::bytes, queue, tensor_map(a, Tile::rows),
         tensor_map(b, Tile::columns), blocks_for(a.columns, tile_k), raster, output(args));
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "TMA loads by one thread, two warpgroups multiply (wgmma); 3xTF32 as a product of three times the depth",
    .bound_by = "the matrix units within a tile, latency between tiles",
    .improves = "naive",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 16}}}, {{{"raster", 8}}}, {{{"raster", 1}}}},
    .workspace = [](const Queue&, const MatmulTf32::Args& args) { return Tf32Operands(args, {}).bytes(); },
    .launch = gemm,
    .instructions = {{"HGMMA.64x256x8.F32.TF32", 4}, {"UTMALDG.2D", 2}},
#endif
}};

}  // namespace matmul_tf32_wgmma_tma
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
