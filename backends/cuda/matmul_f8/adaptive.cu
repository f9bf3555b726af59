// Dispatch by shape and device, the library-style entry point: `persistent` or `pingpong` with the tile, cluster and
// split-K that a cost model expects to be fastest, `cluster_split_k` for few tiles, or `gemv` for one row or column;
// `mma_multistage` where rows of A and B do not begin at multiples of 16 bytes, and where the device has no wgmma.
// Bound by the matrix units; small shapes by launch and latency.
#include "backends/cuda/matmul_f8/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
Candidate<MatmulF8> search(const Queue& queue, const MatmulF8::Args& args) {
  const std::vector<Choice<MatmulF8>> special = special_choices(queue, args);
  if (!is_for_persistent(queue, args)) return special.empty() ? by_mma_multistage() : special.front().candidate;
  const std::vector<PersistentChoice> configs = configs_of_both(queue, args);
  const PersistentChoice& best = configs.front();
  return !special.empty() && special.front().cycles < best.cycles ? special.front().candidate : by_config(args, best);
}

/// Cached: a search takes longer than a small product.
const Candidate<MatmulF8>& best_candidate(const Queue& queue, const MatmulF8::Args& args) {
  static CachedByProblem<MatmulF8, Candidate<MatmulF8>> known(search);
  return known(queue, args);
}

std::size_t workspace(const Queue& queue, const MatmulF8::Args& args) {
  return best_candidate(queue, args).workspace_bytes;
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  best_candidate(queue, args).launch(pdl_by_tuning(queue), args);
}
#endif

const Register<MatmulF8> variant{{
    .idea =
        "dispatch by shape: persistent, pingpong or cluster_split_k, with the tile, cluster and split-K that a cost "
        "model picks, or gemv",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
