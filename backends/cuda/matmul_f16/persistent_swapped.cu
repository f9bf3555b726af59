// Persistent GEMM with swapped operands: Cᵀ = Bᵀ·Aᵀ. wgmma's M is 64, its N any multiple of 8: swapped, rows of C are
// on the side of N, and tiles waste less of a C of few rows, or fill their last wave better. Sums are transposed on
// their way through shared memory, of floats out by their stores. Requires rows of A and B at multiples of 16 bytes.
// Bound by the matrix units and, at large sizes, power.
#include "backends/cuda/matmul_f16/persistent.hpp"
#include "backends/cuda/matmul_f16/swapped_floats.hpp"
#include "backends/cuda/tensor_gemm/last_wave_splits.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_persistent_swapped {

#if CROSSWARP_HAS_PTX
template <bool bf16, bool b_transposed, bool f32_out, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  // The first operand is B transposed, whose rows run along k if those of B do; the second is A transposed.
  using Product = WgmmaF16<bf16, true, !b_transposed>;
  persistent_gemm<std::conditional_t<f32_out, WithFloatsOut<Product>, Product>, false, Tile>(a, b, c, plan, out,
                                                                                             Unscaled());
#endif
}

struct Kernels {
  template <class Use>
  static void with_kernel(const MatmulF16::Args& args, const PersistentConfig& config, Use&& use) {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      with_cooperative_tile<true>(config, [&]<class Tile>() {
        use.template operator()<Tile>(args.f32_out ? gemm_kernel<bf16, b_transposed, true, Tile>
                                                   : gemm_kernel<bf16, b_transposed, false, Tile>);
      });
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
  config.swapped = true;
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
    .idea = "swapped operands: wgmma's N runs along rows of C; tiles are transposed as they are stored",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {split_tuning(128, 256, {2, 1}, 8, 1, 0), split_tuning(128, 256, {1, 2}, 16, 2, 1),
                split_tuning(128, 224, {2, 2}, 8, 2, 0), split_tuning(128, 192, {2, 1}, 8, 1, 1),
                split_tuning(128, 160, {4, 1}, 4, 3, 1), split_tuning(128, 176, {2, 1}, 8, 1, 0),
                split_tuning(128, 144, {2, 1}, 8, 2, 1), split_tuning(128, 160, {2, 1}, 8, 1, 0),
                split_tuning(64, 192, {2, 1}, 8, 1, 1),
                split_tuning(64, 160, {4, 1}, 4, 2, 1), split_tuning(64, 128, {2, 4}, 8, 1, 0),
                split_tuning(64, 96, {1, 2}, 16, 3, 1), split_tuning(64, 96, {4, 2}, 4, 1, 1)},
    .applies = has_aligned_rows,
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x256x16.F32", 4}, {"STSM.16.MT88.4", 4}, {"UTMALDG.2D.MULTICAST", 1}, {"UTMASTG.2D", 3}},
#endif
}};

}  // namespace matmul_f16_persistent_swapped
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
