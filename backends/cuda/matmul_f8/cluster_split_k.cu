// Split-K within clusters: one tile a cluster, whose blocks share k and exchange partial sums through distributed
// shared memory. For products of few tiles. Requires rows of A and B at multiples of 16 bytes. Bound by latency, and by
// memory or L2 where k is long.
#include "backends/cuda/tensor_gemm/cluster_split_k.hpp"

#include "backends/cuda/matmul_f8/cluster_split_k.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
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

/// By type and accumulation.
template <class Tile>
auto* kernel_for(const MatmulF8::Args& args) {
  decltype(&gemm_kernel<E4m3, false, Tile>) kernel = nullptr;
  with_type_of_a(args,
                 [&]<class A>() { kernel = args.promoted ? gemm_kernel<A, true, Tile> : gemm_kernel<A, false, Tile>; });
  return kernel;
}

std::vector<ClusterSplitChoice> choices(const Queue& queue, const MatmulF8::Args& args) {
  return first_cluster_split_choices(queue, args.m, args.n, operands_in_pairs(args),
                                     [&]<class Tile>() { return kernel_for<Tile>(args); });
}

void gemm(const Queue& queue, const MatmulF8::Args& args, const ClusterSplitConfig& config) {
  if (finish_if_empty(queue, args)) return;
  with_cluster_split_tile(config, [&]<class Tile>() {
    launch_cluster_split_k<Tile>(queue, kernel_for<Tile>(args), config.splits, operands_in_pairs(args), true,
                                 unscaled_output(args), scale_of(args));
  });
}

void launch_tuned(const Queue& queue, const MatmulF8::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_split(queue, [&] { return choices(queue, args); }));
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
