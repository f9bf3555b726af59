// Dispatch by measurement: of `gemv`, where C is one row or column, and the first configurations of `persistent` by
// `adaptive`'s costs, eight in all, the fastest, timed once for each shape; of `gemv` and `mma_multistage` where
// `persistent` cannot multiply. Bounds as of `adaptive`; where its costs are wrong, another of the eight is taken.
#include <cmath>

#include "backends/cuda/matmul_f8/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
std::vector<Candidate<MatmulF8>> candidates(const Queue& queue, const MatmulF8::Args& args) {
  const std::size_t most = args.c.empty() || args.k == 0 ? 1 : 8;
  std::vector<Candidate<MatmulF8>> taken;
  if (std::isfinite(matmul_f8_gemv::expected_cycles(queue, args))) taken.push_back(by_gemv());
  if (!is_for_persistent(queue, args)) {
    taken.push_back(by_mma_multistage());
    return taken;
  }
  for (const PersistentChoice& choice : by_cycles(persistent_configs(queue, args)))
    if (taken.size() < most) taken.push_back(by_persistent(args, choice));
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
