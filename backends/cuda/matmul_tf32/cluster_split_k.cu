// Split-K within clusters: one tile a cluster, whose blocks share k and exchange partial sums through distributed
// shared memory. For products of few tiles. A pass before splits the operands of 3xTF32, and copies rows that begin off
// 16 bytes. Bound by latency, and by memory or L2 where k is long.
#include "backends/cuda/tensor_gemm/cluster_split_k.hpp"

#include "backends/cuda/matmul_tf32/cluster_split_k.hpp"
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/wgmma_k_major.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_tf32_cluster_split_k {

#if CROSSWARP_HAS_PTX
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] const ClusterSplitPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  cluster_split_k<WgmmaKMajor<float>, false, Tile>(a, b, plan, out, Unscaled());
#endif
}

std::vector<ClusterSplitChoice> choices(const Queue& queue, const MatmulTf32::Args& args) {
  return first_cluster_split_choices(queue, args.m, args.n, Tf32Operands(args, {}).multiplied(),
                                     [&]<class Tile>() { return gemm_kernel<Tile>; });
}

void gemm(const Queue& queue, const MatmulTf32::Args& args, const ClusterSplitConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Tf32Operands operands(args, queue.workspace);
  operands.launch_copies(queue);
  with_cluster_split_tile(config, [&]<class Tile>() {
    launch_cluster_split_k<Tile>(queue, gemm_kernel<Tile>, config.splits, operands.multiplied(), true, output(args));
  });
}

void launch_tuned(const Queue& queue, const MatmulTf32::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_split(queue, [&] { return choices(queue, args); }));
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "split-K within a cluster: its blocks share a tile of C and exchange sums by distributed shared memory",
    .bound_by = "latency; where k is long, memory and L2",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = cluster_split_tunings(),
    .workspace = [](const Queue&, const MatmulTf32::Args& args) { return Tf32Operands(args, {}).bytes(); },
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x64x8.F32.TF32", 4}, {"UTMALDG.2D", 2}, {"STAS.128", 8}},
#endif
}};

}  // namespace matmul_tf32_cluster_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
