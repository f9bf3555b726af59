// Dispatch by shape and device, the library-style entry point: `persistent` with the tile, cluster and split-K that a
// cost model expects to be fastest. Bound by the matrix units; small shapes by launch and latency.
#include <map>
#include <string>
#include <tuple>

#include "backends/cuda/matmul_tf32/dispatch.hpp"
#include "backends/cuda/matmul_tf32/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
PersistentConfig search(const Queue& queue, const MatmulTf32::Args& args) {
  constexpr BlockShape tiles[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}};
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = Tf32Operands(args, {}).multiplied(),
                         .operations_of_word = 1,
                         .mma_operations = queue.device.peak_per_cycle("tensor_tf32", 2048),
                         .is_f32_out = true};
  const auto resident = [&](const PersistentConfig& config) {
    return matmul_tf32_persistent::resident_clusters(queue, config);
  };
  return cheapest(persistent_choices(queue.device, work, tiles, 8, resident)).config;
}

/// Cached by shape: a search takes longer than a small product.
const PersistentConfig& best_config(const Queue& queue, const MatmulTf32::Args& args) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool>, PersistentConfig> known;
  const auto [found, is_new] = known.try_emplace({queue.device.key, args.m, args.n, args.k, args.split});
  if (is_new) found->second = search(queue, args);
  return found->second;
}

std::size_t workspace(const Queue& queue, const MatmulTf32::Args& args) {
  return matmul_tf32_persistent::workspace_bytes(args, best_config(queue, args));
}

void gemm(const Queue& queue, const MatmulTf32::Args& args) {
  matmul_tf32_persistent::gemm(pdl_by_tuning(queue), args, best_config(queue, args));
}
#endif

const Register<MatmulTf32> variant{{
    .idea = "dispatch by shape: persistent with the tile, cluster and split-K that a cost model picks",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "wgmma", "tma", "cluster"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
