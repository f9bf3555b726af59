// Dispatch by measurement: times `adaptive`'s first eight candidates once for each shape, and keeps the fastest. Bound
// by what bounds the kernel that it chose.
#include "backends/cuda/matmul_f64/choice.hpp"

#if CROSSWARP_HAS_PTX
#include "backends/gpu/autotuned.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// Leaves out candidates that are expected to take more than four times the least.
std::vector<Candidate<MatmulF64>> candidates(const Queue& queue, const MatmulF64::Args& args) {
  const std::size_t most = args.c.empty() || args.k == 0 ? 1 : 8;
  constexpr double hopeless = 4;
  const std::vector<Choice<MatmulF64>> all = choices(queue, args);
  std::vector<Candidate<MatmulF64>> taken;
  for (const Choice<MatmulF64>& choice : all)
    if (taken.size() < most && choice.cycles <= hopeless * all.front().cycles) taken.push_back(choice.candidate);
  return taken;
}

using Fastest = AutotunedVariant<MatmulF64, candidates>;
#endif

const Register<MatmulF64> variant{{
    .idea = "dispatch by measurement: the fastest of the first eight choices of adaptive's cost model",
    .bound_by = "the matrix units; one row or column memory bandwidth; at small shapes launch latency",
    .improves = "adaptive",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = Fastest::workspace,
    .prepare = Fastest::prepare,
    .launch = Fastest::launch,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
