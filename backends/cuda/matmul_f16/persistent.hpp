// The persistent GEMM of 16-bit elements with operands as they are or swapped, for `persistent` and
// `persistent_swapped`.
#pragma once

#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

template <bool bf16, bool b_transposed, class Tile>
__global__ void __launch_bounds__(Tile::threads, 1)
    gemm_kernel([[maybe_unused]] const __grid_constant__ CUtensorMap a,
                [[maybe_unused]] const __grid_constant__ CUtensorMap b,
                [[maybe_unused]] const __grid_constant__ CUtensorMap c, [[maybe_unused]] const PersistentPlan plan,
                [[maybe_unused]] const Output out) {
#if CROSSWARP_TARGET_HAS_WGMMA
  // Of swapped operands the first is B transposed, whose rows run along k if B is, and the second A transposed.
  using Product = std::conditional_t<Tile::swapped, WgmmaF16<bf16, true, !b_transposed>, WgmmaF16<bf16, b_transposed>>;
  persistent_gemm<Product, false, Tile>(a, b, c, plan, out, Unscaled());
#endif
}

/// Calls `use` for the configuration's tile: `[&]<class Tile>()`.
template <bool swapped, class Use>
void with_tile(const PersistentConfig& config, Use&& use) {
  const auto use_tile = [&]<unsigned rows, unsigned columns>() {
    use.template operator()<PersistentTile<rows / 64, columns, swapped>>();
  };
  if (config.rows == 64)
    with_constant<64, 96, 128, 160, 192>(config.columns,
                                         [&]<unsigned columns>() { use_tile.template operator()<64, columns>(); });
  else
    with_constant<128, 160, 192, 224, 256>(config.columns,
                                           [&]<unsigned columns>() { use_tile.template operator()<128, columns>(); });
}

template <bool swapped>
unsigned count_resident(const Queue& queue, const PersistentConfig& config) {
  unsigned count = 0;
  with_tile<swapped>(config, [&]<class Tile>() {  // all types take the same resources
    count = count_resident_clusters<Tile>(queue, gemm_kernel<false, false, Tile>, config.cluster);
  });
  return count;
}

template <bool swapped>
void multiply(const Queue& queue, const MatmulF16::Args& args, const Operands& operands,
              const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Output out(args);
  with_tile<swapped>(config, [&]<class Tile>() {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      launch_persistent<Tile>(queue, gemm_kernel<bf16, b_transposed, Tile>, config, operands, b_transposed, out, out);
    });
  });
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
