// Dispatch by shape and device, the library-style entry point: the tile of `mma_multistage`, or of `mma_tma` where n
// and k are even and the device has TMA, and the splits of k of fewest expected cycles; `gemv` or `cluster_gemv` for
// one row or column where they are expected to take less. Bound by the matrix units; one row or column by memory
// bandwidth; small shapes by launch and latency.
#include "backends/cuda/matmul_f64/choice.hpp"
#include "backends/gpu/cached_by_problem.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_MMA_F64
/// Cached: a search takes longer than a small product.
const Candidate<MatmulF64>& best_candidate(const Queue& queue, const MatmulF64::Args& args) {
  static CachedByProblem<MatmulF64, Candidate<MatmulF64>> known(
      [](const Queue& on, const MatmulF64::Args& problem) { return choices(on, problem).front().candidate; });
  return known(queue, args);
}

std::size_t workspace(const Queue& queue, const MatmulF64::Args& args) {
  return best_candidate(queue, args).workspace_bytes;
}

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  best_candidate(queue, args).launch(pdl_by_tuning(queue), args);
}
#endif

const Register<MatmulF64> variant{{
    .idea = "dispatch by shape: mma_tma, mma_multistage, with the tile and split-K that a cost model picks, or gemv",
    .bound_by = "the matrix units; one row or column memory bandwidth; at small shapes launch latency",
    .improves = "mma_tma",
    .needs = needs_of_mma_f64,
#if CROSSWARP_HAS_MMA_F64
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
