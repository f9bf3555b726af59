// Dispatch by measurement: of `gemv`, where C is one row or column, and the first configurations of `persistent` by
// `adaptive`'s costs, eight in all, the fastest, timed once for each shape. Bounds as of `adaptive`; where its costs
// are wrong, another of the eight is taken.
#include <cmath>

#include "backends/cuda/matmul_tf32/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
std::vector<Candidate<MatmulTf32>> candidates(const Queue& queue, const MatmulTf32::Args& args) {
  const std::size_t most = args.c.empty() || args.k == 0 ? 1 : 8;
  std::vector<Candidate<MatmulTf32>> taken;
  if (most > 1 && std::isfinite(matmul_tf32_gemv::expected_cycles(queue, args))) taken.push_back(by_gemv());
  for (const PersistentChoice& choice : by_cycles(persistent_configs(queue, args)))
    if (taken.size() < most) taken.push_back(by_persistent(args, choice));
  return taken;
}

using Fastest = AutotunedVariant<MatmulTf32, candidates>;
#endif

const Register<MatmulTf32> variant{{
    .idea = "dispatch by measurement: the fastest of the first eight configurations by adaptive's cost model",
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
