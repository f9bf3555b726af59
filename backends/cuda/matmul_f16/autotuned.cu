// Dispatch by measurement, as cublaslt's: of the first eight choices by cost models the fastest, timed once for each
// shape. Bounds as of `adaptive`; where its costs are wrong, another of the eight is taken.
#include "backends/cuda/matmul_f16/choice.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// The first eight by expected cycles, that of `adaptive` among them. Half of the places are for kernels beside
/// `persistent` and `pingpong`, whose configurations are many and alike; these two come in turn. What is expected to
/// take four times as long as another is left out.
std::vector<Candidate<MatmulF16>> candidates(const Queue& queue, const MatmulF16::Args& args) {
  constexpr std::size_t most = 8, most_others = most / 2;
  constexpr double hopeless = 4;
  constexpr unsigned each_tile[] = {1, 2, matmul_f16_small_k::tiles};
  const std::vector<Choice<MatmulF16>> others = other_kernels(queue, args, each_tile);
  std::vector<Choice<MatmulF16>> ours;
  if (has_persistent_gemm(queue))
    for (const PersistentChoice& choice : configs_of_both(queue, args)) ours.push_back(by_config(queue, args, choice));
  else
    ours.push_back(by_mma_multistage());
  if (args.c.empty() || args.k == 0) return {ours.front().candidate};
  const double least = std::min(ours.front().cycles, others.empty() ? ours.front().cycles : others.front().cycles);
  std::vector<Candidate<MatmulF16>> taken;
  const auto take = [&](const std::vector<Choice<MatmulF16>>& from, std::size_t up_to) {
    for (const Choice<MatmulF16>& choice : from)
      if (taken.size() < up_to && (choice.cycles <= hopeless * least || !is_modelled(choice)))
        taken.push_back(choice.candidate);
  };
  take(others, most_others);
  take(ours, most);
  return taken;
}

using Fastest = AutotunedVariant<MatmulF16, candidates>;
#endif

const Register<MatmulF16> variant{{
    .idea = "dispatch by measurement: the fastest of the first eight choices of adaptive's cost models",
    .bound_by = "the matrix units; at small shapes launch latency",
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
