// Ping-pong GEMM: as `persistent`, but the two consumer warpgroups have output tiles of their own and take turns, one
// multiplies while the other stores. Requires rows of A and B at multiples of 16 bytes. Bound by the matrix units; at
// large sizes by power.
#include "backends/cuda/matmul_f16/persistent.hpp"
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

struct Kernels {
  template <class Use>
  static void with_kernel(const MatmulF16::Args& args, const PersistentConfig& config, Use&& use) {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      with_pingpong_tile<b_transposed>(
          config, [&]<class Tile>() { use.template operator()<Tile>(gemm_kernel<bf16, b_transposed, Tile>); });
    });
  }
};

unsigned resident_clusters(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config) {
  return count_resident<Kernels>(queue, args, config);
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const PersistentConfig& config) {
  multiply<Kernels>(queue, args, operands, config);
}

PersistentConfig config_for(const Queue& queue, const MatmulF16::Args& args) {
  PersistentConfig config = tuned_config(queue);
  config.schedule = Schedule::pingpong;
  return with_tuned_splits<Kernels>(queue, args, config, blocks_for(args.k, tile_k));
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return config_for(queue, args).workspace_bytes(args.m, args.n);
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, operands(args), config_for(queue, args));
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
                split_tuning(128, 192, {1, 2}, 16, 2, 1), split_tuning(128, 192, {2, 2}, 8, 1, 1)},
    .applies = has_aligned_rows,
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x128x16.F32", 8}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 1}},
#endif
}};

}  // namespace matmul_f16_pingpong
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
