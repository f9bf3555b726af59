// Persistent, warp-specialized GEMM: resident clusters loop over output tiles. A producer thread loads k-tiles by TMA,
// multicast in the cluster, and runs ahead across tiles; consumer warpgroups multiply (wgmma), and store each tile
// while they multiply the next (deferred epilogue). Requires rows of A and B at multiples of 16 bytes. Bound by the
// matrix units; at large sizes by power.
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f8/persistent.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_persistent {

#if CROSSWARP_HAS_PTX
template <class A, bool promoted, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out, [[maybe_unused]] const Scale scale) {
#if CROSSWARP_TARGET_HAS_WGMMA
  persistent_gemm<WgmmaKMajor<A>, promoted, Tile>(a, b, c, plan, out, scale);
#endif
}

struct Kernels {
  /// Promoted sums have registers for 192 columns.
  template <class Use>
  static void with_kernel(const MatmulF8::Args& args, const PersistentConfig& config, Use&& use) {
    const auto by_tile = [&]<class A, bool promoted>() {
      with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
        with_constant<64, 128, 192, 256>(config.columns, [&]<unsigned columns>() {
          using Tile = PersistentTile<rows / 64, columns>;
          if constexpr (columns <= (rows == 64 ? 128 : promoted ? 192 : 256))
            use.template operator()<Tile>(gemm_kernel<A, promoted, Tile>);
          else
            throw Error("no kernel was compiled for this tile");
        });
      });
    };
    with_type_of_a(args, [&]<class A>() {
      args.promoted ? by_tile.template operator()<A, true>() : by_tile.template operator()<A, false>();
    });
  }
};

unsigned resident_clusters(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config) {
  return config.schedule == Schedule::pingpong ? matmul_f8_pingpong::resident_clusters(queue, args, config)
                                               : count_resident<Kernels>(queue, args, config);
}

void gemm(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config) {
  config.schedule == Schedule::pingpong ? matmul_f8_pingpong::gemm(queue, args, config)
                                        : multiply<Kernels>(queue, args, config);
}

/// The tuning's columns, of promoted sums at most 192.
void launch_tuned(const Queue& queue, const MatmulF8::Args& args) {
  PersistentConfig config = tuned_config(queue);
  if (args.promoted) config.columns = std::min(config.columns, 192u);
  gemm(pdl_by_tuning(queue), args, config);
}
#endif

const Register<MatmulF8> variant{{
    .idea = "persistent clusters: TMA multicast, wgmma, each tile stored while the next is multiplied",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {persistent_tuning(128, 256, {2, 1}, 8, 0), persistent_tuning(128, 256, {2, 1}, 8, 1),
                persistent_tuning(128, 256, {1, 1}, 16, 0), persistent_tuning(128, 256, {1, 2}, 16, 0),
                persistent_tuning(128, 192, {2, 1}, 8, 0), persistent_tuning(128, 192, {1, 2}, 16, 1),
                persistent_tuning(128, 128, {2, 1}, 8, 0), persistent_tuning(128, 128, {1, 2}, 16, 1),
                persistent_tuning(64, 128, {2, 1}, 8, 1), persistent_tuning(64, 128, {1, 2}, 16, 0),
                persistent_tuning(64, 64, {4, 1}, 4, 0)},
    .applies = has_rows_of_16_bytes,
    .launch = launch_tuned,
    .instructions = {{"QGMMA.64x256x32.F32.E4M3.E4M3", 4}, {"UTMALDG.2D.MULTICAST", 2}, {"UTMASTG.2D", 4}},
#endif
}};

}  // namespace matmul_f8_persistent
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
