// Deferred epilogue: a consumer warp keeps a finished tile's sums in registers, and stores them while the next tile is
// multiplied, one panel per k-tile: by TMA where rows of C begin at multiples of 16 bytes, else a row at a time. The
// matrix units do not wait for stores. For files that need "ptx".
#pragma once

#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/tensor_gemm/tensor_map.hpp"

#if CROSSWARP_HAS_PTX

namespace crosswarp::gpu {
namespace {

/// Stores of panels that wait in shared memory: rows of 128 bytes, 64 columns of 16 bits or 32 floats.
struct StagedRows {
  const CUtensorMap& c;  ///< Of `out`, if `by_tma`.
  const Output& out;
  const bool by_tma;

  /// Stores 16 rows from `staging`, a shared address, to C from (`row`, `column`) on; not those outside of C. Requires
  /// a barrier of the warps that wrote them and, if `by_tma`, fence_proxy_async() by each of them before it. By TMA
  /// each call is a group of a warp's stores, whether or not C has any of the rows.
  __device__ void store(unsigned row, unsigned column, unsigned staging) const {
    if (by_tma) {
      if (threadIdx.x % warp_size() == 0) tma_store(c, row, column, staging);
    } else if (row >= out.rows) {
      return;
    } else if (out.is_f32) {
      store_words<std::uint32_t>(row, staging, column, out.columns);
    } else if (out.columns % 2 == 0) {
      store_words<std::uint32_t>(row, staging, column / 2, out.columns / 2);
    } else {
      store_words<std::uint16_t>(row, staging, column, out.columns);
    }
  }

 private:
  /// Rows of C have `pitch` words; the panel begins at word `at`. Neighbouring lanes store neighbouring words.
  template <class Word>
  __device__ void store_words(unsigned row, unsigned staging, unsigned at, unsigned pitch) const {
    constexpr unsigned words = row_bytes / sizeof(Word), per_chunk = 16 / sizeof(Word);
    const unsigned lane = threadIdx.x % warp_size(), rows = std::min(16u, out.rows - row);
    Word* to = static_cast<Word*>(out.data) + std::size_t{row} * pitch + at + lane;
#pragma unroll 2
    for (unsigned r = 0; r < rows; ++r, to += pitch)
#pragma unroll
      for (unsigned i = 0; i < words; i += warp_size())
        if (const unsigned word = i + lane; at + word < pitch)
          to[i] = load_shared<Word>(staging + swizzled(r, word / per_chunk) + word % per_chunk * sizeof(Word));
  }
};

/// For a warp's 16 rows of tiles of `columns`. For each tile: store_panel() in every k-tile and store_rest() store the
/// tile before, take() keeps this one; store_last() the last one; then finish(). A panel is 16 rows of 128 bytes: 64
/// columns of 16 bits, or 32 floats. Where panels do not fill a tile, the last one begins early and stores some columns
/// twice: every store is a full box of 128 bytes a row, by one tensor map. A tile is kept whole, unless it has more
/// than 160 columns of floats: of these take() stores one half at once, for lack of registers. All take the thread's
/// sums, columns / 2 in all, as a function `sum(i)`. `in_place`: the sums stay as they are until all panels are stored,
/// so that no copy is needed.
template <bool bf16, unsigned columns, bool in_place>
struct DeferredEpilogue {
  static constexpr bool keeps_floats = in_place || columns <= 160;
  /// A thread's words of a kept tile, or half tile: two 16-bit elements or a float each. A panel has 16 of them.
  static constexpr unsigned words = columns / 4, float_words = keeps_floats ? columns / 2 : columns / 4;
  static constexpr unsigned most_panels = blocks_for(float_words, 16);
  static constexpr unsigned warp_bytes = 16 * row_bytes;  ///< Of a panel.
  /// Shared memory of a warp: one panel is filled while the other is stored.
  static constexpr unsigned staging_bytes = 2 * warp_bytes;

  const StagedRows rows;
  unsigned next, last;  ///< Staging panels, shared addresses.
  unsigned row = 0, column = 0;
  unsigned pending = 0;                            ///< Panels of the tile that is kept, if any.
  std::uint32_t kept[in_place ? 1 : float_words];  ///< As word() returns them.

  /// `c` is a map of `out`, if `by_tma`.
  __device__ DeferredEpilogue(const CUtensorMap& c, const Output& out, bool by_tma, unsigned staging)
      : rows{c, out, by_tma}, next(staging), last(staging + warp_bytes) {}

  /// The warp's rows of the finished tile begin at `first_row`.
  template <class Sum>
  __device__ void take(unsigned first_row, unsigned first_column, const Sum& sum) {
    row = first_row;
    column = first_column;
    pending = blocks_for(rows.out.is_f32 ? float_words : words, 16);
    if constexpr (!keeps_floats)
      if (rows.out.is_f32) {
#pragma unroll
        for (unsigned panel = 0; panel < most_panels; ++panel)
          store_at(column_of(panel), [&](unsigned to) {
            stage_floats(to, [&](unsigned i) { return sum(first_word<true>(panel) + i); });
          });
        column += columns / 2;
      }
    if constexpr (!in_place) {
      if (rows.out.is_f32) {
#pragma unroll
        for (unsigned i = 0; i < float_words; ++i) {
          kept[i] = word<true>(sum, i);
          asm volatile("" : "+r"(kept[i]));  // else the compiler, which knows that these are the sums, spills some
        }
      } else {
#pragma unroll
        for (unsigned i = 0; i < words; ++i) kept[i] = word<false>(sum, i);
      }
    }
  }

  /// In place of take(), for a tile that is split: nothing is pending. Requires store_rest() of the tile before.
  __device__ void skip() { pending = 0; }

  /// Stores the panel whose turn it is in the next tile's `k_tile`, if any.
  template <class Sum>
  __device__ void store_panel(unsigned k_tile, const Sum& sum) {
    if (k_tile >= pending) return;  // as for most k-tiles: one branch for all panels
    store_at(column_of(k_tile), [&](unsigned to) { stage_kept(k_tile, to, sum); });
  }
  /// Stores the panels that remain after a tile of `k_tiles`.
  template <class Sum>
  __device__ void store_rest(unsigned k_tiles, const Sum& sum) {
#pragma unroll 1
    for (unsigned panel = k_tiles; panel < pending; ++panel) store_panel(panel, sum);
  }

  /// In place of take(), for the last tile: stores it at once, by way of `count` staging panels: shared addresses,
  /// `pitch` bytes apart. Requires store_rest() of the tile before.
  template <unsigned count, class Sum>
  __device__ void store_last(unsigned first_row, unsigned first_column, unsigned staging, unsigned pitch,
                             const Sum& sum) {
    row = first_row;
    column = first_column;
    pending = 0;
    rows.out.is_f32 ? store_whole<true, count>(staging, pitch, sum) : store_whole<false, count>(staging, pitch, sum);
  }

  /// Waits until shared memory of all stores has been read.
  __device__ void finish() const { bulk_wait_group_read<0>(); }

 private:
  /// Of a panel's words.
  template <bool is_f32>
  __device__ static constexpr unsigned first_word(unsigned panel) {
    return std::min(16 * panel, (is_f32 ? float_words : words) - 16);
  }
  __device__ unsigned column_of(unsigned panel) const {
    return column + (rows.out.is_f32 ? 2 * first_word<true>(panel) : 4 * first_word<false>(panel));
  }
  __device__ bool is_inside(unsigned at) const { return row < rows.out.rows && at < rows.out.columns; }

  /// `fill` writes a panel to `staging`, from where it is stored to column `at`.
  template <class Fill>
  __device__ void store_by_way_of(unsigned staging, unsigned at, Fill fill) const {
    fill(staging);
    if (rows.by_tma) fence_proxy_async();
    sync_warp();
    rows.store(row, at, staging);
  }
  template <class Fill>
  __device__ void store_at(unsigned at, Fill fill) {
    if (!is_inside(at)) return;
    if (threadIdx.x % warp_size() == 0) bulk_wait_group_read<1>();  // the last store but one has read this panel
    sync_warp();
    store_by_way_of(next, at, fill);
    std::swap(next, last);
  }

  /// Word `i` of those that are kept: a float, of the second half where the first is not kept, or two 16-bit elements.
  template <bool is_f32, class Sum>
  __device__ static std::uint32_t word(const Sum& sum, unsigned i) {
    if constexpr (is_f32)
      return __float_as_uint(sum(columns / 2 - float_words + i));
    else
      return Output::packed<bf16>(sum(2 * i), sum(2 * i + 1));
  }
  template <bool is_f32, class Sum>
  __device__ std::uint32_t kept_word(const Sum& sum, unsigned i) const {
    if constexpr (in_place)
      return word<is_f32>(sum, i);
    else
      return kept[i];
  }
  /// Takes turns among the `count` staging panels and this warp's own two, any of which a store may still be reading.
  template <bool is_f32, unsigned count, class Sum>
  __device__ void store_whole(unsigned staging, unsigned pitch, const Sum& sum) const {
    constexpr unsigned all = is_f32 ? columns / 2 : columns / 4;  // words
#pragma unroll
    for (unsigned panel = 0; panel < blocks_for(all, 16); ++panel) {
      const unsigned first = std::min(16 * panel, all - 16), at = column + first * (is_f32 ? 2 : 4);
      const unsigned slot = panel % (count + 2);
      if (panel >= count) {
        if (threadIdx.x % warp_size() == 0)
          panel < count + 2 ? bulk_wait_group_read<count>() : bulk_wait_group_read<count + 1>();
        sync_warp();
      }
      if (is_inside(at))
        store_by_way_of(slot < count    ? staging + slot * pitch
                        : slot == count ? next
                                        : last,
                        at, [&](unsigned to) {
                          stage<is_f32>(to, [&](unsigned i) {
                            return is_f32 ? __float_as_uint(sum(first + i)) : word<false>(sum, first + i);
                          });
                        });
    }
  }

  /// Writes a kept panel. Registers have no index at run time: hence the loop.
  template <class Sum>
  __device__ void stage_kept(unsigned wanted, unsigned to, const Sum& sum) const {
#pragma unroll
    for (unsigned panel = 0; panel < most_panels; ++panel)
      if (panel != wanted)
        continue;
      else if (rows.out.is_f32)
        stage<true>(to, [&](unsigned i) { return kept_word<true>(sum, first_word<true>(panel) + i); });
      else if (16 * panel < words)
        stage<false>(to, [&](unsigned i) { return kept_word<false>(sum, first_word<false>(panel) + i); });
  }
  /// Writes 16 words of each lane.
  template <bool is_f32, class Word>
  __device__ static void stage(unsigned to, const Word& word_at) {
    if constexpr (is_f32) {
      stage_floats(to, [&](unsigned i) { return __uint_as_float(word_at(i)); });
    } else {
      const unsigned lane = threadIdx.x % warp_size();
#pragma unroll
      for (unsigned quad = 0; quad < 4; ++quad) {
        std::uint32_t four[4];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) four[i] = word_at(4 * quad + i);
        stmatrix_x4(to + swizzled(lane % 16, 2 * quad + lane / 16), four);
      }
    }
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
