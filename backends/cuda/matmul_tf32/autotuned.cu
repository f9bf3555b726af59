// Dispatch by measurement: of eight candidates by `adaptive`'s costs, up to four of them `cluster_split_k`,
// `wgmma_registers` (3xTF32) or `gemv`, the others `persistent` and `pingpong`, the fastest, timed once for each shape.
// Bounds as of `adaptive`; where its costs are wrong, another of the eight is taken.
#include "backends/cuda/matmul_tf32/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
std::vector<Candidate<MatmulTf32>> candidates(const Queue& queue, const MatmulTf32::Args& args) {
  const std::size_t most = args.c.empty() || args.k == 0 ? 1 : 8;
  std::vector<Candidate<MatmulTf32>> taken;
  for (const Choice<MatmulTf32>& choice : special_choices(queue, args))
    if (taken.size() < most / 2) taken.push_back(choice.candidate);
  for (const PersistentChoice& choice : configs_of_both(queue, args))
    if (taken.size() < most) taken.push_back(by_config(queue, args, choice).candidate);
  return taken;
}

using Fastest = AutotunedVariant<MatmulTf32, candidates>;
#endif

const Register<MatmulTf32> variant{{
    .idea = "dispatch by measurement: the fastest of eight by adaptive's cost models, up to four of them "
            "cluster_split_k, wgmma_registers or gemv",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "adaptive",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = Fastest::workspace,
    .prepare = Fastest::prepare,
    .launch = Fastest::launch,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
