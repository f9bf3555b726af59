// Deferred epilogue: a consumer warp keeps a finished tile's accumulators in registers, and stores them by TMA while
// the next tile is multiplied, one panel per k-tile. The matrix units do not wait for stores. For files that need
// "ptx".
#pragma once

#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/matmul_f16/tensor_map.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// For a warp's 16 rows of tiles of `columns`. For each tile: store_panel() in every k-tile and store_rest() store the
/// tile before, take() keeps this one; after the last tile drain(). A panel is 16 rows of 128 bytes: 64 columns of 16
/// bits, or 32 floats. A 16-bit tile is kept whole; of a float tile take() stores one half at once, for lack of
/// registers.
template <bool bf16, unsigned columns>
struct DeferredEpilogue {
  static constexpr unsigned panels = columns / row_elements;
  static constexpr unsigned panel_bytes = 16 * row_bytes;
  /// Shared memory of a warp: one panel is filled while the other is stored.
  static constexpr unsigned staging_bytes = 2 * panel_bytes;

  const CUtensorMap& c;
  const Output& out;
  unsigned next, last;  ///< Staging panels, shared addresses.
  unsigned row = 0, column = 0;
  bool is_pending = false;
  std::uint32_t kept[columns / 4];

  __device__ DeferredEpilogue(const CUtensorMap& c, const Output& out, unsigned staging)
      : c(c), out(out), next(staging), last(staging + panel_bytes) {}

  /// The warp's rows of the finished tile begin at `first_row`.
  __device__ void take(unsigned first_row, unsigned first_column, const float (&accumulators)[columns / 2]) {
    row = first_row;
    column = first_column;
    is_pending = true;
    if (out.is_f32) {
#pragma unroll
      for (unsigned panel = 0; panel < panels; ++panel)
        store_at(column + 32 * panel,
                 [&](unsigned to) { stage_floats(to, [&](unsigned i) { return accumulators[16 * panel + i]; }); });
      column += columns / 2;
#pragma unroll
      for (unsigned i = 0; i < columns / 4; ++i) kept[i] = __float_as_uint(accumulators[columns / 4 + i]);
    } else {
#pragma unroll
      for (unsigned i = 0; i < columns / 4; ++i)
        kept[i] = Output::packed<bf16>(accumulators[2 * i], accumulators[2 * i + 1]);
    }
  }

  /// Stores the panel whose turn it is in the next tile's `k_tile`, if any.
  __device__ void store_panel(unsigned k_tile) {
    if (k_tile >= panels) return;  // as for most k-tiles: one branch for all panels
#pragma unroll
    for (unsigned panel = 0; panel < panels; ++panel)
      if (k_tile == panel) store_kept(panel);
  }
  /// Stores the panels that remain after a tile of `k_tiles`.
  __device__ void store_rest(unsigned k_tiles) {
#pragma unroll
    for (unsigned panel = 0; panel < panels; ++panel)
      if (panel >= k_tiles) store_kept(panel);
  }

  /// Stores the last tile, each panel from a staging panel of its own: shared addresses, `pitch` bytes apart.
  __device__ void drain(unsigned staging, unsigned pitch) {
#pragma unroll
    for (unsigned panel = 0; panel < panels; ++panel)
      if (const unsigned at = column + panel * panel_columns(); is_pending && is_inside(at))
        store_by_way_of(staging + panel * pitch, at, kept_panel(panel));
    bulk_wait_group_read<0>();
  }

 private:
  __device__ unsigned panel_columns() const { return out.is_f32 ? 32 : 64; }
  __device__ bool is_inside(unsigned at) const { return row < out.rows && at < out.columns; }

  /// `fill` writes a panel to `staging`, from where TMA stores it to column `at`.
  template <class Fill>
  __device__ void store_by_way_of(unsigned staging, unsigned at, Fill fill) const {
    fill(staging);
    fence_proxy_async();
    sync_warp();
    if (threadIdx.x % warp_size() == 0) tma_store(c, row, at, staging);
  }
  template <class Fill>
  __device__ void store_at(unsigned at, Fill fill) {
    if (!is_inside(at)) return;
    if (threadIdx.x % warp_size() == 0) bulk_wait_group_read<1>();  // the last store but one has read this panel
    sync_warp();
    store_by_way_of(next, at, fill);
    std::swap(next, last);
  }
  __device__ void store_kept(unsigned panel) {
    if (is_pending) store_at(column + panel * panel_columns(), kept_panel(panel));
  }

  __device__ auto kept_panel(unsigned panel) const {
    return [this, values = kept + 16 * panel](unsigned to) {
      const unsigned lane = threadIdx.x % warp_size();
      if (out.is_f32) {
        stage_floats(to, [&](unsigned i) { return __uint_as_float(values[i]); });
      } else {
#pragma unroll
        for (unsigned quad = 0; quad < 4; ++quad)
          stmatrix_x4(to + swizzled(lane % 16, 2 * quad + lane / 16), values + 4 * quad);
      }
    };
  }
  /// Writes 16 accumulators of each lane. Odd rows write their pairs in another order, so that eight rows' are in
  /// different banks.
  template <class Value>
  __device__ static void stage_floats(unsigned to, Value value) {
    const unsigned lane = threadIdx.x % warp_size(), swap = lane / 4 % 2 * 2;
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned j = i / 2, h = i % 2, own = 4 * j + 2 * h, other = 4 * (j ^ 2) + 2 * h;
      store_shared(to + swizzled(lane / 4 + 8 * h, 2 * (j ^ swap) + lane % 4 / 2) + lane % 2 * 8,
                   swap ? Pair<float>{value(other), value(other + 1)} : Pair<float>{value(own), value(own + 1)});
    }
  }
};

}  // namespace
}  // namespace crosswarp::gpu

#endif
