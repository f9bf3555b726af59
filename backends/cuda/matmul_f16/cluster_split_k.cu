// Split-K within clusters: one tile a cluster, whose blocks share k and exchange partial sums through distributed
// shared memory. For products of few tiles, which leave multiprocessors idle or take a second launch by `persistent`:
// few rows or columns, or small squares. Requires rows of A and B at multiples of 16 bytes. Bound by latency, and by
// memory or L2 where k is long.
#include "backends/cuda/matmul_f16/cluster_split_k.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/cluster_split_k.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_cluster_split_k {

#if CROSSWARP_HAS_PTX
template <bool bf16, bool b_transposed, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b, [[maybe_unused]] const ClusterSplitPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  cluster_split_k<WgmmaF16<bf16, b_transposed>, false, Tile>(a, b, plan, out, Unscaled());
#endif
}

/// By type and layout.
template <class Tile>
auto* kernel_for(const MatmulF16::Args& args) {
  decltype(&gemm_kernel<false, false, Tile>) kernel = nullptr;
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() { kernel = gemm_kernel<bf16, b_transposed, Tile>; });
  return kernel;
}

std::vector<ClusterSplitChoice> choices(const Queue& queue, const MatmulF16::Args& args) {
  if (!has_persistent_gemm(queue)) return {};
  return first_cluster_split_choices(queue, args.m, args.n, operands(args),
                                     [&]<class Tile>() { return kernel_for<Tile>(args); });
}

void gemm(const Queue& queue, const MatmulF16::Args& args, const ClusterSplitConfig& config) {
  if (finish_if_empty(queue, args)) return;
  with_cluster_split_tile(config, [&]<class Tile>() {
    launch_cluster_split_k<Tile>(queue, kernel_for<Tile>(args), config.splits, operands(args), args.b_transposed,
                                 Output(args));
  });
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_split(queue, [&] { return choices(queue, args); }));
}
#endif

const Register<MatmulF16> variant{{
    .idea = "split-K within a cluster: its blocks share a tile of C and exchange sums by distributed shared memory",
    .bound_by = "latency; where k is long, memory and L2",
    .improves = "wgmma_tma",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = cluster_split_tunings(),
    .applies = has_aligned_rows,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x64x16.F32", 4}, {"UTMALDG.2D", 2}, {"STAS.128", 8}},
#endif
}};

}  // namespace matmul_f16_cluster_split_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
