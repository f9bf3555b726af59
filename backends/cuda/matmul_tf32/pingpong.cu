// Ping-pong GEMM: as `persistent`, but the two consumer warpgroups have output tiles of their own and take turns, one
// multiplies while the other stores. Operands as of `persistent`, after the same pass. Bound by the matrix units; at
// large sizes by power.
#include "backends/cuda/matmul_tf32/pingpong.hpp"

#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_tf32/dispatch.hpp"
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/last_wave_splits.hpp"
#include "backends/cuda/tensor_gemm/pingpong_gemm.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_pingpong {

#if CROSSWARP_HAS_PTX
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  pingpong_gemm<WgmmaKMajor<float>, Tile>(a, b, c, plan, out, Unscaled());
#endif
}

/// Calls `use` for the configuration's tile: `[&]<class Tile>()`.
template <class Use>
void with_tile(const PersistentConfig& config, Use&& use) {
  if (config.rows != 128 || config.swapped) throw Error("no kernel was compiled for this tile");
  with_constant<128, 192>(config.columns,
                          [&]<unsigned columns>() { use.template operator()<PingPongTile<columns, true>>(); });
}

unsigned resident_clusters(const Queue& queue, const PersistentConfig& config) {
  unsigned count = 0;
  with_tile(config,
            [&]<class Tile>() { count = count_resident_clusters<Tile>(queue, gemm_kernel<Tile>, config.cluster); });
  return count;
}

void gemm(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Tf32Operands operands(args, queue.workspace);
  operands.launch_copies(queue);
  Queue after = queue;
  after.workspace = queue.workspace.subspan(operands.bytes());
  const Output out = output(args);
  with_tile(config, [&]<class Tile>() {
    launch_persistent<Tile>(after, gemm_kernel<Tile>, config, operands.multiplied(), true, out, out);
  });
}

PersistentConfig config_for(const Queue& queue, const MatmulTf32::Args& args) {
  return with_tuned_splits(queue, tuned_config(queue), args.m, args.n,
                           blocks_for(Tf32Operands(args, {}).multiplied().a.columns, tile_k),
                           [&](const PersistentConfig& config) { return resident_clusters(queue, config); });
}

std::size_t workspace(const Queue& queue, const MatmulTf32::Args& args) {
  return matmul_tf32_persistent::workspace_bytes(args, config_for(queue, args));
}

void launch_tuned(const Queue& queue, const MatmulTf32::Args& args) {
  gemm(pdl_by_tuning(queue), args, config_for(queue, args));
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "ping-pong: two warpgroups with tiles of their own take turns, one multiplies while the other stores",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {split_tuning(128, 128, {1, 2}, 16, 1, 1), split_tuning(128, 128, {1, 2}, 16, 1, 0),
                split_tuning(128, 128, {2, 1}, 8, 3, 1), split_tuning(128, 192, {2, 1}, 8, 1, 1),
                split_tuning(128, 192, {1, 2}, 16, 1, 1)},
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x128x8.F32.TF32", 8}, {"UTMALDG.2D.MULTICAST", 2}, {"UTMASTG.2D", 1}},
#endif
}};

}  // namespace matmul_tf32_pingpong
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
