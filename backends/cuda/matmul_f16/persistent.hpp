// The persistent GEMM of 16-bit elements, whose kernels are those of three variants: `persistent`, `persistent_swapped`
// and `pingpong`.
#pragma once

#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/dispatch.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/persistent_gemm.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {

// As those of matmul_f16_persistent, which call these for their configurations.
namespace matmul_f16_persistent_swapped {
unsigned resident_clusters(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config);
void gemm(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const PersistentConfig& config);
}  // namespace matmul_f16_persistent_swapped
namespace matmul_f16_pingpong {
unsigned resident_clusters(const Queue& queue, const MatmulF16::Args& args, const PersistentConfig& config);
void gemm(const Queue& queue, const MatmulF16::Args& args, const Operands& operands, const PersistentConfig& config);
}  // namespace matmul_f16_pingpong

}  // namespace CROSSWARP_PLATFORM

namespace {

/// Calls `use` for the configuration's tile: `[&]<class Tile>()`.
template <bool swapped, class Use>
void with_cooperative_tile(const PersistentConfig& config, Use&& use) {
  const auto use_tile = [&]<unsigned rows, unsigned columns>() {
    if constexpr (!swapped || has_swapped_kernel(rows, columns))
      use.template operator()<PersistentTile<rows / 64, columns, swapped>>();
    else
      throw Error("no kernel was compiled for this tile with swapped operands");
  };
  with_constant<64, 128>(config.rows, [&]<unsigned rows>() {
    const auto use_columns = [&]<unsigned columns>() { use_tile.template operator()<rows, columns>(); };
    if constexpr (rows == 64)
      with_constant<64, 96, 128, 160, 192>(config.columns, use_columns);
    else
      with_constant<128, 144, 160, 176, 192, 224, 256>(config.columns, use_columns);
  });
}

/// `Kernels`: a variant's, as with_kernel_of() looks them up.
template <class Kernels>
void multiply(const Queue& queue, const MatmulF16::Args& args, const Operands& operands,
              const PersistentConfig& config) {
  if (finish_if_empty(queue, args)) return;
  const Output out(args);
  launch_persistent<Kernels>(queue, args, config, operands, args.b_transposed, out, out);
}

}  // namespace
}  // namespace crosswarp::gpu

#endif
