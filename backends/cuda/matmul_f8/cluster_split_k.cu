// Split-K within clusters: one tile of 64 x 64 a cluster, whose blocks share k and exchange partial sums through
// distributed shared memory. For products of few tiles. Requires rows of A and B at multiples of 16 bytes. Bound by
// latency, and by memory or L2 where k is long.
#include "backends/cuda/tensor_gemm/cluster_split_k.hpp"

#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f8/cluster_split_k.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f8_cluster_split_k {

#if CROSSWARP_HAS_PTX
template <class A, bool promoted, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] const ClusterSplitPlan plan,
                [[maybe_unused]] const Output out, [[maybe_unused]] const Scale scale) {
#if CROSSWARP_TARGET_HAS_WGMMA
  cluster_split_k<WgmmaKMajor<A>, promoted, Tile>(a, b, plan, out, scale);
#endif
}

/// Calls `use` for the configuration's kernel: `[&]<class Tile>(kernel)`.
template <class Use>
void with_kernel(const MatmulF8::Args& args, const ClusterSplitConfig& config, Use&& use) {
  with_constant<1, 2>(config.blocks, [&]<unsigned blocks>() {
    using Tile = ClusterSplitTile<blocks>;
    with_type_of_a(args, [&]<class A>() {
      args.promoted ? use.template operator()<Tile>(gemm_kernel<A, true, Tile>)
                    : use.template operator()<Tile>(gemm_kernel<A, false, Tile>);
    });
  });
}

std::vector<ClusterSplitChoice> choices(const Queue& queue, const MatmulF8::Args& args) {
  return cluster_split_choices(queue.device, args.m, args.n, operands_in_pairs(args),
                               [&](const ClusterSplitConfig& config) {
                                 unsigned resident = 0;
                                 with_kernel(args, config, [&]<class Tile>(auto* kernel) {
                                   resident = count_resident_clusters<Tile>(queue, kernel, {config.splits, 1});
                                 });
                                 return resident;
                               });
}

void gemm(const Queue& queue, const MatmulF8::Args& args, const ClusterSplitConfig& config) {
  if (finish_if_empty(queue, args)) return;
  with_kernel(args, config, [&]<class Tile>(auto* kernel) {
    launch_cluster_split_k<Tile>(queue, kernel, config.splits, operands_in_pairs(args), true, unscaled_output(args),
                                 scale_of(args));
  });
}

void launch_tuned(const Queue& queue, const MatmulF8::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_split(queue));
}
#endif

const Register<MatmulF8> variant{{
    .idea = "split-K within a cluster: its blocks share a tile of C and exchange sums by distributed shared memory",
    .bound_by = "latency; where k is long, memory and L2",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = cluster_split_tunings(),
    .applies = has_rows_of_16_bytes,
    .launch = launch_tuned,
    .instructions = {{"QGMMA.64x64x32.F32.E4M3.E4M3", 4}, {"UTMALDG.2D", 2}, {"STAS.128", 8}},
#endif
}};

}  // namespace matmul_f8_cluster_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
