// Dispatch by shape and device, the library-style entry point: `persistent` or `pingpong` with the tile, cluster and
// split-K that a cost model expects to be fastest, or `cluster_split_k`, `wgmma_registers` (3xTF32) or `gemv`, if they
// are expected to take less. Bound by the matrix units; small shapes by launch and latency.
#include "backends/cuda/matmul_tf32/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
Candidate<MatmulTf32> search(const Queue& queue, const MatmulTf32::Args& args) {
  const Choice<MatmulTf32> best = by_config(queue, args, configs_of_both(queue, args).front());
  const std::vector<Choice<MatmulTf32>> special = special_choices(queue, args);
  return !special.empty() && special.front().cycles < best.cycles ? special.front().candidate : best.candidate;
}

/// Cached: a search takes longer than a small product.
const Candidate<MatmulTf32>& best_candidate(const Queue& queue, const MatmulTf32::Args& args) {
  static CachedByProblem<MatmulTf32, Candidate<MatmulTf32>> known(search);
  return known(queue, args);
}

std::size_t workspace(const Queue& queue, const MatmulTf32::Args& args) {
  return best_candidate(queue, args).workspace_bytes;
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  best_candidate(queue, args).launch(pdl_by_tuning(queue), args);
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "dispatch by shape: persistent, pingpong, cluster_split_k, or wgmma_registers for 3xTF32, with the tile, "
            "cluster and split-K that a cost model picks, or gemv",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
