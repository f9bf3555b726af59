// Dispatch by measurement, as cublaslt's: of the first eight choices by cost models the fastest, timed once for each
// shape. Bounds as of `adaptive`; where its costs are wrong, another of the eight is taken.
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "backends/cuda/matmul_f16/choice.hpp"

#if CROSSWARP_HAS_PTX
#include "backends/gpu/fastest.hpp"
#endif

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
/// The first eight by expected cycles, that of `adaptive` among them. Half of the places are for kernels beside
/// `persistent`, whose configurations are many and alike. What is expected to take four times as long as another is
/// left out.
std::vector<Choice> candidates(const Queue& queue, const MatmulF16::Args& args) {
  constexpr std::size_t most = 8, most_others = most / 2;
  constexpr double hopeless = 4;
  if (!has_persistent_gemm(queue)) return {{Choice::Kernel::mma_multistage}};
  const std::vector<PersistentChoice> configs = persistent_configs(queue, args, all_tiles);
  std::vector<Choice> ours;
  for (const PersistentChoice& config : configs) ours.push_back(by_persistent(queue, args, config));
  std::ranges::stable_sort(ours, {}, &Choice::cycles);
  const double of_adaptive = by_persistent(queue, args, cheapest(configs)).cycles;
  const auto chosen = std::ranges::find(ours, of_adaptive, &Choice::cycles);
  std::rotate(ours.begin(), chosen, chosen + 1);

  constexpr unsigned each_tile[] = {1, 2, matmul_f16_small_k::tiles};
  std::vector<Choice> all = other_kernels(queue, args, each_tile);
  std::ranges::stable_sort(all, {}, &Choice::cycles);
  if (all.size() > most_others) all.resize(most_others);
  all.insert(all.end(), ours.begin(), ours.begin() + std::min(ours.size(), most - all.size()));
  const double least = std::ranges::min(all, {}, &Choice::cycles).cycles;
  std::erase_if(all, [&](const Choice& choice) { return choice.cycles > hopeless * least; });
  return all;
}

/// What is known of a shape. Each candidate has a workspace of its own, since launches leave state in it.
struct Search {
  struct Candidate {
    Choice choice;
    std::size_t offset, bytes;  ///< Of its workspace.
  };
  std::vector<Candidate> candidates;
  std::size_t workspace_bytes = 0;
  std::optional<std::size_t> fastest;

  void multiply(const Queue& queue, const MatmulF16::Args& args, std::size_t candidate) const {
    const auto& [choice, offset, bytes] = candidates[candidate];
    Queue with_part = pdl_by_tuning(queue);
    with_part.workspace = queue.workspace.subspan(offset, bytes);
    multiply_by(with_part, args, choice);
  }
};

Search& search(const Queue& queue, const MatmulF16::Args& args) {
  constexpr std::size_t alignment = 256;
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool, bool, int>, Search> known;
  const auto [found, is_new] = known.try_emplace(
      {queue.device.key, args.m, args.n, args.k, args.bf16, args.b_transposed, args.f32_out, queue.tuning["pdl"]});
  Search& of_shape = found->second;
  if (!is_new) return of_shape;
  for (const Choice& choice : candidates(queue, args)) {
    const std::size_t bytes = workspace_bytes(queue, args, choice);
    of_shape.candidates.push_back({choice, of_shape.workspace_bytes, bytes});
    of_shape.workspace_bytes += (bytes + alignment - 1) / alignment * alignment;
  }
  return of_shape;
}

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) { return search(queue, args).workspace_bytes; }

void prepare(const Queue& queue, const MatmulF16::Args& args) {
  Search& of_shape = search(queue, args);
  if (!of_shape.fastest)
    of_shape.fastest =
        fastest(queue, args, of_shape.candidates.size(),
                [&](const MatmulF16::Args& set, std::size_t candidate) { of_shape.multiply(queue, set, candidate); });
}

/// Requires prepare().
void gemm(const Queue& queue, const MatmulF16::Args& args) {
  const Search& of_shape = search(queue, args);
  of_shape.multiply(queue, args, of_shape.fastest.value());
}
#endif

const Register<MatmulF16> variant{{
    .idea = "dispatch by measurement: the fastest of the first eight choices of adaptive's cost models",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "adaptive",
    .needs = {"ptx", "mma_sync"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .prepare = prepare,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
