// Ping-pong GEMM: as `persistent`, but the two consumer warpgroups have output tiles of their own and take turns, one
// multiplies while the other stores. Sums of such a tile leave no registers for partial ones: fast accumulation alone.
// Requires rows of A and B at multiples of 16 bytes. Bound by the matrix units; at large sizes by power.
#include "backends/cuda/matmul_f8/persistent.hpp"
#include "backends/cuda/tensor_gemm/last_wave_splits.hpp"
#include "backends/cuda/tensor_gemm/pingpong_gemm.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_pingpong {

#if CROSSWARP_HAS_PTX
template <class A, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out, [[maybe_unused]] const Scale scale) {
#if CROSSWARP_TARGET_HAS_WGMMA
  pingpong_gemm<WgmmaKMajor<A>, Tile>(a, b, c, plan, out, scale);
#endif
}

struct Kernels {
  template <class Use>
  static void with_kernel(const MatmulF8::Args& args, const PersistentConfig& config, Use&& use) {
    if (args.promoted) throw Error("ping-pong has no registers for promoted sums");
    with_type_of_a(args, [&]<class A>() {
      with_pingpong_tile<true>(config, [&]<class Tile>() { use.template operator()<Tile>(gemm_kernel<A, Tile>); });
    });
  }
};

unsigned resident_clusters(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config) {
  return count_resident<Kernels>(queue, args, config);
}

void gemm(const Queue& queue, const MatmulF8::Args& args, const PersistentConfig& config) {
  multiply<Kernels>(queue, args, config);
}

PersistentConfig config_for(const Queue& queue, const MatmulF8::Args& args) {
  PersistentConfig config = tuned_config(queue);
  config.schedule = Schedule::pingpong;
  return with_tuned_splits<Kernels>(queue, args, config, blocks_for(operands_in_pairs(args).a.columns, tile_k));
}

std::size_t workspace(const Queue& queue, const MatmulF8::Args& args) {
  return config_for(queue, args).workspace_bytes(args.m, args.n);
}

void launch_tuned(const Queue& queue, const MatmulF8::Args& args) {
  gemm(pdl_by_tuning(queue), args, config_for(queue, args));
}

bool applies(const Point& point) { return has_rows_of_16_bytes(point) && point.word("accumulation") == "fast"; }
#endif

const Register<MatmulF8> variant{{
    .idea = "ping-pong: two warpgroups with tiles of their own take turns, one multiplies while the other stores",
    .bound_by = "the matrix units and, at large sizes, power",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {split_tuning(128, 128, {1, 2}, 16, 1, 1), split_tuning(128, 128, {1, 2}, 16, 1, 0),
                split_tuning(128, 128, {2, 1}, 8, 3, 1), split_tuning(128, 192, {2, 1}, 8, 1, 1),
                split_tuning(128, 192, {1, 2}, 16, 1, 1), split_tuning(128, 192, {2, 1}, 8, 2, 1)},
    .applies = applies,
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"QGMMA.64x128x32.F32.E4M3.E4M3", 8}, {"UTMALDG.2D.MULTICAST", 2}, {"UTMASTG.2D", 1}},
#endif
}};

}  // namespace matmul_f8_pingpong
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
