// Ping-pong GEMM: as `persistent`, but the two consumer warpgroups have output tiles of their own and take turns, one
// multiplies while the other stores. Requires rows of A and B at multiples of 16 bytes. Bound by the matrix units; at
// large sizes by power.
#include "backends/cuda/matmul_f16/pingpong.hpp"

#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/last_wave_splits.hpp"
#include "backends/cuda/tensor_gemm/pingpong_gemm.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_pingpong {

#if CROSSWARP_HAS_PTX
template <bool bf16, bool b_transposed, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  pingpong_gemm<WgmmaF16<bf16, b_transposed>, Tile>(a, b, c, plan, out, Unscaled());
#endif
}

/// Calls `use` for the configuration's columns: `[&]<unsigned columns>()`.
template <class Use>
void with_columns(const PersistentConfig& config, Use&& use) {
  if (config.rows != 128 || config.swapped) throw Error("no kernel was compiled for this tile");
  with_constant<128, 144, 160, 176, 192>(config.columns, use);
}

unsigned resident_clusters(const Queue& queue, const PersistentConfig& config) {
  unsigned count = 0;
  with_columns(config, [&]<unsigned columns>() {  // all types and layouts take a multiprocessor each
    using Tile = PingPongTile<columns, false>;
    count = count_resident_clusters<Tile>(queue, gemm_kernel<false, false, Tile>, config.cluster);
  });
  return count;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Output out(args);
  with_columns(config, [&]<unsigned columns>() {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      using Tile = PingPongTile<columns, b_transposed>;
      launch_persistent<Tile>(queue, gemm_kernel<bf16, b_transposed, Tile>, config, operands(args), b_transposed, out,
                              out);
    });
  });
}

PersistentConfig config_for(const Queue& queue, const MatmulF16::Args& args) {
  return with_tuned_splits(queue, tuned_config(queue), args.m, args.n, blocks_for(args.k, tile_k),
                           [&](const PersistentConfig& config) { return resident_clusters(queue, config); });
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return config_for(queue, args).workspace_bytes(args.m, args.n);
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, config_for(queue, args));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "ping-pong: two warpgroups with tiles of their own take turns, one multiplies while the other stores",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {split_tuning(128, 128, {1, 2}, 16, 1, 1), split_tuning(128, 128, {1, 2}, 16, 1, 0),
                split_tuning(128, 128, {2, 1}, 8, 3, 1), split_tuning(128, 192, {2, 1}, 8, 1, 1),
                split_tuning(128, 176, {2, 1}, 4, 1, 1), split_tuning(128, 160, {1, 2}, 16, 2, 1),
                split_tuning(128, 144, {2, 2}, 8, 1, 1)},
    .applies = has_aligned_rows,
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x128x16.F32", 8}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 1}},
#endif
}};

}  // namespace matmul_f16_pingpong
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
