// Dispatch by measurement: of the first eight choices by `adaptive`'s costs the fastest, timed once for each shape.
// Bounds as of `adaptive`; where its costs are wrong, another of the eight is taken.
#include "backends/cuda/matmul_f32/dispatch.hpp"

#ifndef CROSSWARP_EMULATED
#include "backends/gpu/autotuned.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#ifndef CROSSWARP_EMULATED
/// What is expected to take four times as long as another is left out.
std::vector<Candidate<MatmulF32>> candidates(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return {{[](const Queue&, const MatmulF32::Args&) {}}};
  const std::size_t most = args.k == 0 ? 1 : 8;
  constexpr double hopeless = 4;
  std::vector<Choice<MatmulF32>> all = matmul_f32_adaptive::choices(queue, args);
  std::ranges::stable_sort(all, {}, &Choice<MatmulF32>::cycles);
  std::vector<Candidate<MatmulF32>> taken;
  for (const Choice<MatmulF32>& choice : all)
    if (taken.size() < most && choice.cycles <= hopeless * all.front().cycles) taken.push_back(choice.candidate);
  return taken;
}

using Fastest = AutotunedVariant<MatmulF32, candidates>;
#endif

const Register<MatmulF32> variant{{
    .idea = "dispatch by measurement: the fastest of the first eight choices of adaptive's cost models",
    .bound_by = "issue of multiply-adds; memory bandwidth for few rows or columns",
    .improves = "adaptive",
    .gaps = {{GapClass::no_api,
              "HIP has no asynchronous copy to shared memory: a load and a store in place of cp.async"}},
#ifdef CROSSWARP_EMULATED
    .not_expressible = "needs a device that times launches",
#endif
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
#ifndef CROSSWARP_EMULATED
    .workspace = Fastest::workspace,
    .prepare = Fastest::prepare,
    .launch = Fastest::launch,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
