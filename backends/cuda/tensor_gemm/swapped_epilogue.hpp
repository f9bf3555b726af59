// Deferred epilogue of swapped operands: a tile of Cᵀ, whose sums a consumer warp keeps in registers, is transposed on
// its way through shared memory, and stored while the next tile is multiplied. A warp's 16 rows of Cᵀ are 32 bytes of
// C's rows: so that stores are of 128 bytes, the four warps of a warpgroup fill each panel together. For files that
// need "ptx".
#pragma once

#include "backends/cuda/device/wgmma.hpp"
#include "backends/cuda/tensor_gemm/deferred_epilogue.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Stores four 8 x 8 matrices, transposed, from the registers that ldmatrix_x4<false>() fills. From sm_90 on.
__device__ inline void stmatrix_x4_transposed([[maybe_unused]] unsigned to,
                                              [[maybe_unused]] const std::uint32_t (&from)[4]) {
  CROSSWARP_SM90_ASM("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(from[0]),
                     "r"(from[1]), "r"(from[2]), "r"(from[3])
                     : "memory");
}

/// As DeferredEpilogue, for tiles of Cᵀ of `columns`, which are rows of C, and C of 16 bits. A panel is 64 rows of C by
/// 64 columns, those of a warpgroup; each warp stores a quarter of its rows. Where panels do not fill a tile, the last
/// one begins early and stores some rows twice. All warps of a warpgroup make the same calls.
template <bool bf16, unsigned columns>
struct SwappedEpilogue {
  static constexpr unsigned panels = blocks_for(columns, row_elements);
  static constexpr unsigned warp_bytes = 16 * row_bytes;  ///< A warp's, of a panel.
  static constexpr unsigned staging_bytes = 2 * warp_bytes;

  const StagedRows rows;
  const unsigned warp_in_group;
  unsigned next, last;           ///< Staging panels of the warpgroup, shared addresses.
  unsigned row = 0, column = 0;  ///< Of C.
  unsigned pending = 0;          ///< Panels of the tile that is kept, if any.
  std::uint32_t kept[columns / 4];

  /// `c` is a map of `out`, if `by_tma`. `staging`: the warp's, of which the warpgroup's follow each other.
  __device__ SwappedEpilogue(const CUtensorMap& c, const Output& out, bool by_tma, unsigned staging)
      : rows{c, out, by_tma},
        warp_in_group(warp_uniform(threadIdx.x / warp_size() % 4)),
        next(staging - warp_in_group * staging_bytes),
        last(next + 4 * warp_bytes) {}

  /// The warp's rows of the finished tile of Cᵀ begin at `first_row`.
  template <class Sum>
  __device__ void take(unsigned first_row, unsigned first_column, const Sum& sum) {
    row = first_column;
    column = first_row - 16 * warp_in_group;
    pending = panels;
#pragma unroll
    for (unsigned i = 0; i < columns / 4; ++i) kept[i] = Output::packed<bf16>(sum(2 * i), sum(2 * i + 1));
  }
  __device__ void skip() { pending = 0; }

  template <class Sum>
  __device__ void store_panel(unsigned k_tile, const Sum&) {
    if (k_tile >= pending || !is_inside(k_tile)) return;
    if (threadIdx.x % warp_size() == 0) bulk_wait_group_read<1>();  // the last store but one has read its rows
    store_by_way_of(next, k_tile);
    std::swap(next, last);
  }
  template <class Sum>
  __device__ void store_rest(unsigned k_tiles, const Sum& sum) {
#pragma unroll 1
    for (unsigned panel = k_tiles; panel < pending; ++panel) store_panel(panel, sum);
  }

  /// `staging`: this warp's; those of its warpgroup follow each other.
  template <unsigned count, class Sum>
  __device__ void store_last(unsigned first_row, unsigned first_column, unsigned staging, unsigned pitch,
                             const Sum& sum) {
    static_assert(panels <= count);
    take(first_row, first_column, sum);
#pragma unroll 1
    for (unsigned panel = 0; panel < pending; ++panel)
      if (is_inside(panel)) store_by_way_of(staging - warp_in_group * warp_bytes + panel * pitch, panel);
    pending = 0;
  }
  __device__ void finish() const { bulk_wait_group_read<0>(); }

 private:
  /// Of a thread's words of a kept tile: a panel has 16.
  __device__ static constexpr unsigned first_word(unsigned panel) { return std::min(16 * panel, columns / 4 - 16); }
  __device__ unsigned row_of(unsigned panel) const { return row + 4 * first_word(panel); }
  __device__ bool is_inside(unsigned panel) const { return row_of(panel) < rows.out.rows && column < rows.out.columns; }
  __device__ static void sync_warpgroup() {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / warpgroup_size), "n"(warpgroup_size) : "memory");
  }

  /// Stores a kept panel by way of `staging`, which no warp's store reads any more once all have come here.
  __device__ void store_by_way_of(unsigned staging, unsigned panel) const {
    sync_warpgroup();
    stage(panel, staging);
    if (rows.by_tma) fence_proxy_async();
    sync_warpgroup();
    rows.store(row_of(panel) + 16 * warp_in_group, column, staging + warp_in_group * warp_bytes);
  }
  /// Writes a kept panel. Registers have no index at run time: hence the loop.
  __device__ void stage(unsigned wanted, unsigned to) const {
    const unsigned lane = threadIdx.x % warp_size();
#pragma unroll
    for (unsigned panel = 0; panel < panels; ++panel)
      if (panel == wanted)
#pragma unroll
        for (unsigned quad = 0; quad < 4; ++quad) {
          std::uint32_t words[4];
#pragma unroll
          for (unsigned i = 0; i < 4; ++i) words[i] = kept[first_word(panel) + 4 * quad + i];
          stmatrix_x4_transposed(to + swizzled(16 * quad + lane / 16 * 8 + lane % 8, 2 * warp_in_group + lane / 8 % 2),
                                 words);
        }
  }
};

}  // namespace
}  // namespace crosswarp::gpu

#endif
