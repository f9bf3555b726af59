// Persistent, warp-specialized GEMM: resident clusters loop over output tiles. A producer thread loads k-tiles by TMA,
// multicast in the cluster, and runs ahead across tiles; consumer warpgroups multiply (wgmma), and store each tile
// while they multiply the next (deferred epilogue). Requires rows of A and B at multiples of 16 bytes. Bound by the
// matrix units; at large sizes by power.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"

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

/// Calls `use` for the configuration's tile: `[&]<class Tile>()`.
template <class Use>
void with_tile(const PersistentConfig& config, Use&& use) {
  with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
    with_constant<64, 128, 160, 192, 224, 256>(config.columns, [&]<unsigned columns>() {
      if constexpr (rows == 128 ? columns >= 128 : columns <= 128)
        use.template operator()<PersistentTile<rows / 64, columns>>();
    });
  });
}

unsigned resident_clusters(const Queue& queue, const PersistentConfig& config) {
  unsigned count = 0;
  with_tile(config, [&]<class Tile>() {  // all types take the same resources
    count = count_resident_clusters<Tile>(queue, gemm_kernel<false, false, Tile>, config.cluster);
  });
  return count;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Output out(args);
  with_tile(config, [&]<class Tile>() {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      launch_persistent<Tile>(queue, gemm_kernel<bf16, b_transposed, Tile>, config, operands, b_transposed, out, out);
    });
  });
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
    .tunings = {persistent_tuning(128, 256, {2, 1}, 8, 0), persistent_tuning(128, 256, {2, 1}, 8, 1),
                persistent_tuning(128, 256, {1, 1}, 16, 0), persistent_tuning(128, 256, {1, 2}, 16, 1),
                persistent_tuning(128, 256, {2, 2}, 8, 0), persistent_tuning(128, 256, {2, 1}, 4, 0),
                persistent_tuning(128, 256, {2, 1}, 16, 0), persistent_tuning(128, 192, {2, 1}, 8, 0),
                persistent_tuning(128, 224, {2, 1}, 8, 0), persistent_tuning(128, 160, {2, 1}, 8, 0),
                persistent_tuning(128, 160, {2, 2}, 8, 1), persistent_tuning(128, 128, {2, 1}, 8, 0),
                persistent_tuning(128, 128, {2, 2}, 8, 0), persistent_tuning(64, 128, {2, 1}, 8, 1),
                persistent_tuning(64, 128, {1, 2}, 16, 1), persistent_tuning(64, 64, {2, 1}, 8, 0),
                persistent_tuning(64, 64, {4, 1}, 4, 0), persistent_tuning(64, 64, {4, 2}, 4, 1)},
    .applies = has_aligned_rows,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace matmul_f16_persistent
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
