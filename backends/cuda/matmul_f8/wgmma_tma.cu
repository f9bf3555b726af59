// Warp specialization: one thread loads k-tiles by TMA into a ring, full and empty mbarriers hand them to two
// warpgroups that only multiply (wgmma). Requires rows of A and B at multiples of 16 bytes. Bound by the matrix units
// within a tile; between tiles they idle while loads begin and C is stored.
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/warp_specialized_gemm.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_wgmma_tma {

#if CROSSWARP_HAS_PTX
/// Promoted sums take as many registers again: half the columns.
template <bool promoted>
using Tile = WarpSpecializedTile<promoted ? 128 : 256, promoted ? 6 : 4>;

template <class A, bool promoted>
__global__ void __launch_bounds__(Tile<promoted>::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] unsigned k_tiles,
                [[maybe_unused]] Raster raster, [[maybe_unused]] Output c, [[maybe_unused]] Scale scale) {
#if CROSSWARP_TARGET_HAS_WGMMA
  warp_specialized_gemm<WgmmaKMajor<A>, promoted, Tile<promoted>>(a, b, k_tiles, raster, c, scale);
#endif
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (finish_if_empty(queue, args)) return;
  const auto multiply = [&]<class A, bool promoted>() {
    using T = Tile<promoted>;
    const Raster raster{blocks_for(args.m, T::rows), blocks_for(args.n, T::columns),
                        static_cast<unsigned>(queue.tuning["raster"])};
    const Operands operands = operands_in_pairs(args);
    launch(gemm_kernel<A, promoted>, raster.count(), T::threads, T::Ring::bytes, queue, tensor_map(operands.a, T::rows),
           tensor_map(operands.b, T::columns), blocks_for(args.k, tile_k8), raster, unscaled_output(args),
           scale_of(args));
  };
  with_type_of_a(args, [&]<class A>() {
    args.promoted ? multiply.template operator()<A, true>() : multiply.template operator()<A, false>();
  });
}
#endif

const Register<MatmulF8> variant{{
    .idea = "TMA loads by one thread, two warpgroups multiply (wgmma): a ring with full and empty mbarriers",
    .bound_by = "the matrix units within a tile, latency between tiles",
    .improves = "mma_multistage",
    .needs = {"ptx", "wgmma", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"raster", 16}}}, {{{"raster", 8}}}, {{{"raster", 1}}}},
    .applies = has_rows_of_16_bytes,
    .launch = gemm,
    .instructions = {{"QGMMA.64x256x32.F32.E4M3.E4M3", 4}, {"UTMALDG.2D", 2}},
#endif
}};

}  // namespace matmul_f8_wgmma_tma
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
