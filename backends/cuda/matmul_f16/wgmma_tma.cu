// Warp specialization: one thread loads k-tiles by TMA into a ring, full and empty mbarriers hand them to two
// warpgroups that only multiply (wgmma), and no barrier of the block is left in the loop. Requires rows of A and B at
// multiples of 16 bytes. Bound by the matrix units within a tile; between tiles they idle while loads begin and C is
// stored.
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/warp_specialized_gemm.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
using Tile = WarpSpecializedTile<256, 4>;

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] unsigned k_tiles,
                [[maybe_unused]] Raster raster, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  warp_specialized_gemm<WgmmaF16<bf16, b_transposed>, false, Tile>(a, b, k_tiles, raster, c, Unscaled());
#endif
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const Raster raster{blocks_for(args.m, Tile::rows), blocks_for(args.n, Tile::columns),
                      static_cast<unsigned>(queue.tuning["raster"])};
  const CUtensorMap a = tensor_map(operand_a(args), Tile::rows);
  const CUtensorMap b = tensor_map(operand_b(args), args.b_transposed ? Tile::columns : tile_k);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_kernel<bf16, b_transposed>, raster.count(), Tile::threads, Tile::Ring::bytes, queue, a, b,
           blocks_for(args.k, tile_k), raster, Output(args));
  });
}
#endif

const Register<MatmulF16> variant{{
    .idea = "TMA loads by one thread, two warpgroups multiply (wgmma): a ring with full and empty mbarriers",
    .bound_by = "the matrix units within a tile, latency between tiles",
    .improves = "wgmma",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 16}}}, {{{"raster", 8}}}, {{{"raster", 1}}}},
    .applies = has_aligned_rows,
    .launch = gemm,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D", 2}},
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
