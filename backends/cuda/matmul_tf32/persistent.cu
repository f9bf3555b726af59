// Persistent, warp-specialized GEMM: resident clusters loop over output tiles. A producer thread loads k-tiles by TMA,
// multicast in the cluster, and runs ahead across tiles; consumer warpgroups multiply (wgmma), and store each tile
// while they multiply the next (deferred epilogue). A pass before splits the operands of 3xTF32, and copies rows that
// begin off 16 bytes. Bound by the matrix units; at large sizes by power.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_tf32/persistent.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_persistent {

#if CROSSWARP_HAS_PTX
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  persistent_gemm<WgmmaKMajor<float>, false, Tile>(a, b, c, plan, out, Unscaled());
#endif
}

struct Kernels {
  template <class Use>
  static void with_kernel(const MatmulTf32::Args&, const PersistentConfig& config, Use&& use) {
    with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
      with_constant<128, 192, 256>(config.columns, [&]<unsigned columns>() {
        using Tile = PersistentTile<rows / 64, columns>;
        if constexpr (rows == 128 || columns == 128)
          use.template operator()<Tile>(gemm_kernel<Tile>);
        else
          throw Error("no kernel was compiled for this tile");
      });
    });
  }
};

unsigned resident_clusters(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config) {
  return config.schedule == Schedule::pingpong ? matmul_tf32_pingpong::resident_clusters(queue, args, config)
                                               : count_resident<Kernels>(queue, args, config);
}

std::size_t workspace_bytes(const MatmulTf32::Args& args, const PersistentConfig& config) {
  return Tf32Operands(args, {}).bytes() + config.workspace_bytes(args.m, args.n);
}

void gemm(const Queue& queue, const MatmulTf32::Args& args, const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Tf32Operands operands(args, queue.workspace);
  operands.launch_copies(queue);
  Queue after = queue;
  after.workspace = queue.workspace.subspan(operands.bytes());
  config.schedule == Schedule::pingpong ? matmul_tf32_pingpong::gemm(after, args, operands.multiplied(), config)
                                        : multiply<Kernels>(after, args, operands.multiplied(), config);
}

void launch_tuned(const Queue& queue, const MatmulTf32::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_config(queue));
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "persistent clusters: TMA multicast, wgmma, each tile stored while the next is multiplied",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {persistent_tuning(128, 256, {2, 1}, 8, 0), persistent_tuning(128, 256, {2, 1}, 8, 1),
                persistent_tuning(128, 256, {1, 1}, 16, 0), persistent_tuning(128, 256, {1, 2}, 16, 0),
                persistent_tuning(128, 192, {2, 1}, 8, 1), persistent_tuning(128, 192, {4, 2}, 4, 0),
                persistent_tuning(128, 128, {2, 1}, 8, 0), persistent_tuning(128, 128, {1, 2}, 16, 1),
                persistent_tuning(64, 128, {2, 1}, 8, 1), persistent_tuning(64, 128, {1, 2}, 16, 0)},
    .workspace = [](const Queue& queue,
                    const MatmulTf32::Args& args) { return workspace_bytes(args, tuned_config(queue)); },
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x256x8.F32.TF32", 4}, {"UTMALDG.2D.MULTICAST", 2}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace matmul_tf32_persistent
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
