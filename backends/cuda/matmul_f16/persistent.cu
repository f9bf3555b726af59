// Persistent, warp-specialized GEMM: resident clusters loop over output tiles. A producer thread loads k-tiles by TMA,
// multicast in the cluster, and runs ahead across tiles; consumer warpgroups multiply (wgmma), and store each tile
// while they multiply the next (deferred epilogue). Requires rows of A and B at multiples of 16 bytes. Bound by the
// matrix units; at large sizes by power.
#include "backends/cuda/matmul_f16/persistent.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_persistent {

#if CROSSWARP_HAS_PTX
template <bool bf16, bool b_transposed, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  persistent_gemm<WgmmaF16<bf16, b_transposed>, false, Tile>(a, b, c, plan, out, Unscaled());
#endif
}

struct Kernels {
  template <class Use>
  static void with_kernel(const MatmulF16::Args& args, const PersistentConfig& config, Use&& use) {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      with_cooperative_tile<false>(
          config, [&]<class Tile>() { use.template operator()<Tile>(gemm_kernel<bf16, b_transposed, Tile>); });
    });
  }
};

unsigned resident_clusters(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  if (config.schedule == Schedule::pingpong) return matmul_f16_pingpong::resident_clusters(queue, args, config);
  return config.swapped ? matmul_f16_persistent_swapped::resident_clusters(queue, args, config)
                        : count_resident<Kernels>(queue, args, config);
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const PersistentConfig& config) {
  if (config.schedule == Schedule::pingpong) return matmul_f16_pingpong::gemm(queue, args, operands, config);
  config.swapped ? matmul_f16_persistent_swapped::gemm(queue, args, operands, config)
                 : multiply<Kernels>(queue, args, operands, config);
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, operands(args), tuned_config(queue));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "persistent clusters: TMA multicast, wgmma, each tile stored while the next is multiplied",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {persistent_tuning(128, 256, {2, 1}, 8, 0),  persistent_tuning(128, 256, {2, 1}, 8, 1),
                persistent_tuning(128, 256, {1, 1}, 16, 0), persistent_tuning(128, 256, {1, 2}, 16, 1),
                persistent_tuning(128, 256, {2, 2}, 8, 0),  persistent_tuning(128, 256, {2, 1}, 4, 0),
                persistent_tuning(128, 256, {2, 1}, 16, 0), persistent_tuning(128, 224, {2, 1}, 8, 0),
                persistent_tuning(128, 192, {2, 1}, 8, 0),  persistent_tuning(128, 160, {2, 1}, 8, 0),
                persistent_tuning(128, 176, {2, 1}, 8, 0),  persistent_tuning(128, 144, {2, 1}, 8, 1),
                persistent_tuning(128, 160, {2, 2}, 8, 1),  persistent_tuning(128, 128, {2, 1}, 8, 0),
                persistent_tuning(128, 128, {2, 2}, 8, 0),  persistent_tuning(64, 192, {4, 1}, 4, 1),
                persistent_tuning(64, 160, {2, 2}, 8, 0),   persistent_tuning(64, 128, {2, 1}, 8, 1),
                persistent_tuning(64, 128, {1, 2}, 16, 1),  persistent_tuning(64, 96, {4, 1}, 4, 0),
                persistent_tuning(64, 64, {2, 1}, 8, 0),    persistent_tuning(64, 64, {4, 1}, 4, 0),
                persistent_tuning(64, 64, {4, 2}, 4, 1)},
    .applies = has_aligned_rows,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace matmul_f16_persistent
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
