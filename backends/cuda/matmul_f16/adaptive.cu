// Dispatch by shape and device, the library-style entry point: the kernel that cost models expect to be fastest.
// `pingpong`, or `persistent` with operands swapped or not, with the best tile, cluster and split-K. Where rows of A or
// B do not begin at multiples of 16 bytes, either by way of `repack`, or `gathered`, `row_classes` and `few_columns`,
// which read operands as they are. `few_rows` for up to 16 rows of C, `gemv` for one row or column; `small_k_mma` and
// `small_k` for small k, `skinny` for short sides of C, `cluster_split_k` for few tiles; `mma_multistage` where there is
// no wgmma. Bound by the matrix units; small shapes by launch and latency, and by shared memory, which feeds small tiles.
#include "backends/cuda/matmul_f16/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// Tuning `tile`: the only one of `persistent`, by its number; 0: any, and any kernel.
Candidate<MatmulF16> search(const Queue& queue, const MatmulF16::Args& args) {
  const auto tile = static_cast<std::size_t>(queue.tuning["tile"]);
  if (!has_persistent_gemm(queue)) return by_mma_multistage().candidate;
  const std::span all(cooperative_tiles);
  if (tile > 0) {
    const auto configs = persistent_configs(queue, args, all.subspan(tile - 1, 1));
    return by_config(queue, args, cheapest(configs)).candidate;
  }
  const Choice<MatmulF16> best = by_config(queue, args, configs_of_both(queue, args).front());
  constexpr unsigned any_tile[] = {0};
  const std::vector<Choice<MatmulF16>> others = other_kernels(queue, args, any_tile);
  return others.empty() || best.cycles <= others.front().cycles ? best.candidate : others.front().candidate;
}

/// Cached: a search takes longer than a small product.
const Candidate<MatmulF16>& best_candidate(const Queue& queue, const MatmulF16::Args& args) {
  static CachedByProblem<MatmulF16, Candidate<MatmulF16>> known(search);
  return known(queue, args);
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return best_candidate(queue, args).workspace_bytes;
}

void gemm(const Queue& queue, const MatmulF16::Args& args) {
  best_candidate(queue, args).launch(pdl_by_tuning(queue), args);
}

/// tile 0: the cost model chooses; cluster, splits and whether operands are swapped are always its choice. pdl:
/// programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea =
        "dispatch by cost models: persistent or pingpong with the best tile, cluster and split-K, or by way of repack; "
        "small_k_mma and small_k for small k; gemv for one row or column, few_rows, skinny and cluster_split_k for "
        "few; gathered, few_columns and row_classes where rows are not aligned",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5), tuning(6), tuning(7),
                tuning(8), tuning(9), tuning(10), tuning(11), tuning(12)},
    .tuned_by_table = true,
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
