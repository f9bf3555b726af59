// Dispatch by shape and device, the library-style entry point: `persistent` with the tile, cluster and split-K that a
// cost model expects to be fastest; `mma_multistage` where rows of A and B do not begin at multiples of 16 bytes, and
// where the device has no wgmma. Bound by the matrix units; small shapes by launch and latency.
#include <map>
#include <string>
#include <tuple>

#include "backends/cuda/matmul_f8/dispatch.hpp"
#include "backends/cuda/matmul_f8/tensor_operands.hpp"
#include "backends/cuda/tensor_gemm/persistent_model.hpp"

namespace crosswarp::gpu {
namespace {

#if CROSSWARP_HAS_PTX
constexpr unsigned fallback_raster = 8;

PersistentConfig search(const Queue& queue, const MatmulF8::Args& args) {
  constexpr BlockShape tiles[] = {{128, 256}, {128, 192}, {128, 128}, {64, 128}, {64, 64}};
  const ProductWork work{.m = args.m,
                         .n = args.n,
                         .operands = operands_in_pairs(args),
                         .operations_of_word = 4,
                         .mma_operations = queue.device.peak_per_cycle("tensor_fp8", 8192),
                         .is_f32_out = args.f32_out};
  const std::span all(tiles);
  const auto resident = [&](const PersistentConfig& config) {
    return matmul_f8_persistent::resident_clusters(queue, args, config);
  };
  return cheapest(persistent_choices(queue.device, work, args.promoted ? all.subspan(2) : all, 4, resident)).config;
}

/// Cached by shape: a search takes longer than a small product.
const PersistentConfig& best_config(const Queue& queue, const MatmulF8::Args& args) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t, bool, bool>, PersistentConfig> known;
  const auto [found, is_new] =
      known.try_emplace({queue.device.key, args.m, args.n, args.k, args.promoted, args.f32_out});
  if (is_new) found->second = search(queue, args);
  return found->second;
}

bool is_for_persistent(const Queue& queue, const MatmulF8::Args& args) {
  return args.k % 16 == 0 && has_persistent_gemm(queue);
}

std::size_t workspace(const Queue& queue, const MatmulF8::Args& args) {
  return is_for_persistent(queue, args) ? best_config(queue, args).workspace_bytes(args.m, args.n) : 0;
}

void gemm(const Queue& queue, const MatmulF8::Args& args) {
  if (is_for_persistent(queue, args))
    matmul_f8_persistent::gemm(pdl_by_tuning(queue), args, best_config(queue, args));
  else
    matmul_f8_mma_multistage::gemm(queue, args, fallback_raster);
}
#endif

const Register<MatmulF8> variant{{
    .idea = "dispatch by shape: persistent with the tile, cluster and split-K that a cost model picks",
    .bound_by = "the matrix units; at small shapes launch latency",
    .improves = "persistent",
    .needs = {"ptx", "mma_sync", "tma"},
#if CROSSWARP_HAS_PTX
    .tunings = {{{{"pdl", 1}}}, {{{"pdl", 0}}}},
    .workspace = workspace,
    .launch = gemm,
#endif
}};

}  // namespace
}  // namespace crosswarp::gpu
