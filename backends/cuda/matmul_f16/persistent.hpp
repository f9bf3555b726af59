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

/// Calls `use` for the configuration's tile: `[&]<class Tile>()`.
template <bool swapped, class Use>
void with_tile(const PersistentConfig& config, Use&& use) {
  const auto use_tile = [&]<unsigned rows, unsigned columns>() {
    use.template operator()<PersistentTile<rows / 64, columns, swapped>>();
  };
  with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
    const auto use_columns = [&]<unsigned columns>() { use_tile.template operator()<rows, columns>(); };
    if constexpr (rows == 64)
      with_constant<64, 96, 128, 160, 192>(config.columns, use_columns);
    else
      with_constant<128, 144, 160, 176, 192, 224, 256>(config.columns, use_columns);
  });
}

/// `Kernels`: those of a variant, by type, layout, tile and whether C is of floats.
template <class Kernels>
unsigned count_resident(const Queue& queue, const PersistentConfig& config) {
  unsigned count = 0;
  with_tile<Kernels::swapped>(config, [&]<class Tile>() {  // all types take the same resources
    count = count_resident_clusters<Tile>(queue, Kernels::template get<false, false, Tile>(false), config.cluster);
  });
  return count;
}

template <class Kernels>
void multiply(const Queue& queue, const MatmulF16::Args& args, const Operands& operands,
              const PersistentConfig& config) {
  if (config.swapped != Kernels::swapped) throw Error("these kernels' operands are in another order");
  if (finish_if_empty(queue, args)) return;
  const Output out(args);
  with_tile<Kernels::swapped>(config, [&]<class Tile>() {
    with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
      launch_persistent<Tile>(queue, Kernels::template get<bf16, b_transposed, Tile>(out.is_f32), config, operands,
                              b_transposed, out, out);
    });
  });
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
