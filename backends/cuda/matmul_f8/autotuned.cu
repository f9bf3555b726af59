// Dispatch by measurement: of eight candidates by `adaptive`'s costs, up to four of them `cluster_split_k` or, where C
// is one row or column, `gemv`, the others `persistent` and `pingpong`, the fastest, timed once for each shape; of
// `gemv` and `mma_multistage` where `persistent` cannot multiply. Bounds as of `adaptive`; where its costs are wrong,
// another of the eight is taken.
#include "backends/cuda/matmul_f8/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
std::vector<Candidate<MatmulF8>> candidates(const Queue& queue, const MatmulF8::Args& args) {
  const std::size_t most = args.c.empty() || args.k == 0 ? 1 : 8;
  std::vector<Candidate<MatmulF8>> taken;
  for (const Choice<MatmulF8>& choice : special_choices(queue, args))
    if (taken.size() < most / 2) taken.push_back(choice.candidate);
  if (!is_for_persistent(queue, args)) {
    taken.push_back(by_mma_multistage());
    return taken;
  }
  for (const PersistentChoice& choice : configs_of_both(queue, args))
    if (taken.size() < most) taken.push_back(by_config(args, choice));
  return taken;
}

using Fastest = AutotunedVariant<MatmulF8, candidates>;
#endif

const Register<MatmulF8> variant{{
    .idea = "dispatch by measurement: the fastest of the first eight by adaptive's cost models",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "adaptive",
    .needs = {"ptx", "mma_sync", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = Fastest::workspace,
    .prepare = Fastest::prepare,
    .launch = Fastest::launch,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
