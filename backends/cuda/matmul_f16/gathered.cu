// Operands whose rows begin off 16 bytes, multiplied by wgmma without a copy in memory: two producer warpgroups load
// the 16-byte vectors that hold eight elements, shift them in registers and store them to the swizzled k-tile, where
// TMA would have. One consumer warpgroup multiplies tiles of 64 rows; split-K. For few rows, beside which a copy of B
// takes longer than the product. Bound by memory bandwidth; small products by latency.
#include "backends/cuda/matmul_f16/gathered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cuda/device/bulk_copy.hpp"
#include "backends/cuda/device/pipeline.hpp"
#include "backends/cuda/device/split_k.hpp"
#include "backends/cuda/matmul_f16/wgmma_f16.hpp"
#include "backends/cuda/tensor_gemm/row_repacking.hpp"
#include "backends/cuda/tensor_gemm/tile_sums.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_gathered {

#if CROSSWARP_HAS_PTX
constexpr unsigned tile_rows = 64, tile_columns = 128, stages = 8;
constexpr unsigned producers = 2;  // warpgroups, which take turns: one's loads are in flight while the other stores
constexpr unsigned threads = (1 + producers) * 128;
constexpr unsigned k_tiles_ahead = 4;                    // that are in L2 before their loads
constexpr unsigned vector = 8;                           // elements of a chunk
constexpr unsigned tile_chunks = row_elements / vector;  // of a row of a k-tile
using Ring = OperandRing<tile_rows, tile_columns, stages>;

struct Plan {
  unsigned row_tiles, column_tiles, k_tiles, k_tiles_per_split, splits;
  std::size_t split_pitch;  ///< Elements between splits' partial sums.
  double cycles = std::numeric_limits<double>::infinity();
};

#if CROSSWARP_TARGET_HAS_WGMMA
/// The first `count` of eight elements, zeros behind.
__device__ inline uint4 first_elements(const uint4& of, unsigned count) {
  const auto masked = [&](std::uint32_t word, unsigned first) {
    return first + 1 < count ? word : first < count ? word & 0xffff : 0;
  };
  return {masked(of.x, 0), masked(of.y, 2), masked(of.z, 4), masked(of.w, 6)};
}

/// A thread's share of an operand's k-tiles: `count` chunks, from its first one on in every `rows_apart`th row. That is
/// a multiple of eight rows, and k-tiles are 64 elements apart, so that all begin at the same distance from 16 bytes.
/// `k_major`: rows run along k.
template <bool k_major, unsigned count>
struct GatheredChunks {
  static constexpr unsigned row_chunks = k_major ? tile_chunks : tile_columns / vector;
  static constexpr unsigned rows_apart = warpgroup_size / row_chunks;
  static_assert(rows_apart % 8 == 0);

  const Operand& from;
  unsigned row, column;  ///< Of the first chunk at k = 0.
  uint4 low[count], high[count];

  /// `first`: the tile's first row, or column where rows do not run along k.
  __device__ GatheredChunks(const Operand& operand, unsigned first, unsigned thread)
      : from(operand),
        row((k_major ? first : 0) + thread / row_chunks),
        column((k_major ? 0 : first) + thread % row_chunks * vector) {}

  /// Of the first chunk in a k-tile's shared memory. The others follow, in rows with the same swizzle.
  __device__ static unsigned offset(unsigned thread) {
    const unsigned chunk = thread % row_chunks;
    return chunk / tile_chunks * tile_k * row_bytes + swizzled(thread / row_chunks, chunk % tile_chunks);
  }

  /// Into L2, by a thread of every 128 bytes. Not rows of columns, which take longer so where memory is the bound.
  __device__ void prefetch(unsigned k) const {
    if constexpr (k_major)
#pragma unroll
      for (unsigned i = 0; i < count; ++i)
        if (column % row_elements == 0 && is_inner(k)) prefetch_to_l2(inner(i, k));
  }
  __device__ void load(unsigned k) {
    const uint4* const vectors = reinterpret_cast<const uint4*>(from.data);
    if (is_inner(k)) {
#pragma unroll
      for (unsigned i = 0; i < count; ++i) low[i] = inner(i, k)[0], high[i] = inner(i, k)[1];
    } else {
#pragma unroll
      for (unsigned i = 0; i < count; ++i) {
        low[i] = high[i] = {};
        if (!is_readable(i, k)) continue;
        const uint4* const at = vectors + element(row_of(i, k), k) / vector;
        low[i] = at[0], high[i] = at[1];
      }
    }
  }
  /// At the shared address of the first chunk. Zeros past the end of k.
  __device__ void store(unsigned k, unsigned to) const {
    const auto distance = static_cast<unsigned>(element(row_of(0, k), k) % vector);
    const bool is_last = !is_inner(k);
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      const uint4 chunk = shifted(low[i], high[i], distance);
      store_shared(to + i * rows_apart * row_bytes, is_last && k_major ? first_elements(chunk, left(k)) : chunk);
    }
    if (!is_last) return;
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i)
      if (!is_readable(i, k)) store_shared(to + i * rows_apart * row_bytes, from.chunk(row_of(i, k), column_of(k)));
  }

 private:
  __device__ unsigned row_of(unsigned i, unsigned k) const { return row + i * rows_apart + (k_major ? 0 : k); }
  __device__ unsigned column_of(unsigned k) const { return column + (k_major ? k : 0); }
  __device__ std::size_t element(unsigned of_row, unsigned k) const {
    return std::size_t{of_row} * from.pitch + column_of(k);
  }
  /// The vectors of a chunk where is_inner(). Rows outside, whose products nobody stores, are other rows.
  __device__ const uint4* inner(unsigned i, unsigned k) const {
    const bool is_row = !k_major || row + i * rows_apart < from.rows;
    return reinterpret_cast<const uint4*>(from.data) + element(std::min(row_of(0, k), from.rows - 1), k) / vector +
           (is_row ? std::size_t{i * (rows_apart / vector)} * from.pitch : 0);
  }
  /// Elements of a row along k from the first chunk on.
  __device__ unsigned left(unsigned k) const { return column_of(k) < from.columns ? from.columns - column_of(k) : 0; }
  /// No chunk reaches past the end of k, and no vector past that of the matrix.
  __device__ bool is_inner(unsigned k) const {
    if constexpr (k_major)
      return k + tile_k + vector <= from.columns;
    else
      return k + tile_k <= from.rows && element(k + tile_k - 1, k) + 2 * vector <= std::size_t{from.rows} * from.pitch;
  }
  /// Both vectors that hold the chunk are within the matrix, and it is not past the end of k.
  __device__ bool is_readable(unsigned i, unsigned k) const {
    return row_of(i, k) < from.rows && column_of(k) < from.columns &&
           (element(row_of(i, k), k) / vector + 2) * vector <= std::size_t{from.rows} * from.pitch;
  }
};
#endif

template <bool bf16, bool b_transposed>
__global__ void __launch_bounds__(threads, 1)
    gemm_kernel([[maybe_unused]] Operands operands, [[maybe_unused]] Plan plan, [[maybe_unused]] Output c) {
#if CROSSWARP_TARGET_HAS_WGMMA
  __shared__ Pipeline<stages> pipeline;
  const Ring ring{warp_uniform(shared_address(swizzle_aligned_shared()))};
  const unsigned row = blockIdx.x % plan.row_tiles * tile_rows, column = blockIdx.x / plan.row_tiles * tile_columns;
  const unsigned first_k_tile = blockIdx.y * plan.k_tiles_per_split;
  const unsigned k_tiles = std::min(plan.k_tiles_per_split, plan.k_tiles - first_k_tile);
  if (threadIdx.x == 0) {
    for (unsigned s = 0; s < stages; ++s) {
      pipeline.full[s].init(warpgroup_size / warp_size());
      pipeline.empty[s].init(warpgroup_size / warp_size());
    }
    fence_mbarrier_init();
  }
  __syncthreads();

  const unsigned group = warp_uniform(threadIdx.x / warpgroup_size);
  PipelineState state;
  if (group < producers) {
    const unsigned thread = threadIdx.x % warpgroup_size;
    GatheredChunks<true, tile_rows * tile_chunks / warpgroup_size> of_a(operands.a, row, thread);
    GatheredChunks<b_transposed, tile_columns * tile_chunks / warpgroup_size> of_b(operands.b, column, thread);
    const auto k_of = [&](unsigned i) { return (first_k_tile + i) * tile_k; };
    const auto prefetch = [&](unsigned i) {
      if (i >= k_tiles) return;
      of_b.prefetch(k_of(i));
      of_a.prefetch(k_of(i));
    };
    for (unsigned i = group; i < k_tiles_ahead; i += producers) prefetch(i);
    grid_dependency_sync();
    for (unsigned i = 0; i < group; ++i) state.advance(stages);
    for (unsigned i = group; i < k_tiles; i += producers) {
      const unsigned k = k_of(i);
      of_b.load(k);
      of_a.load(k);
      prefetch(i + k_tiles_ahead);
      pipeline.empty[state.index].wait(state.phase ^ 1);
      of_b.store(k, ring.b(state.index) + of_b.offset(thread));
      of_a.store(k, ring.a(state.index) + of_a.offset(thread));
      fence_proxy_async();
      sync_warp();
      if (thread % warp_size() == 0) pipeline.full[state.index].arrive();
      for (unsigned turn = 0; turn < producers; ++turn) state.advance(stages);
    }
    return;
  }

  grid_dependency_sync();
  TileSums<WgmmaF16<bf16, b_transposed>, false, tile_columns> sums;
  const auto release = [&](unsigned stage) {
    if (threadIdx.x % warp_size() == 0) pipeline.consumer_release(stage);
  };
  const auto wait = [&] {
    pipeline.consumer_wait(state);
    const StagedTile staged{state.index, ring.a(state.index), ring.b(state.index)};
    state.advance(stages);
    return staged;
  };
  sums.add(k_tiles, wait, release, [](unsigned, bool) {});
  const Output out = gridDim.y > 1 ? c.offset(blockIdx.y * plan.split_pitch) : c;
  const unsigned warp = warp_uniform(threadIdx.x % warpgroup_size / warp_size());
  out.store_fragment<bf16>(row + 16 * warp, column, sums.sums());
#endif
}

/// The splits of least expected cycles, or those given. Requires m, n, k > 0. As fitted to 38 products on an H100, 150
/// launches: a multiprocessor has one block, whose producers wait for their loads; stores of single elements, where
/// rows of C are odd; memory, mostly hidden; partial sums.
Plan plan(const Queue& queue, const MatmulF16::Args& args, unsigned forced_splits) {
  constexpr double fixed = 6500, of_tile = 730, of_k_tile = 1230, exposed = 0.16, share_of_peak = 0.87;
  constexpr double elements_stored = 1.4, of_pairs_stored = 7.5,
                   partial_bytes = 10.4;  // of a multiprocessor, per cycle
  constexpr unsigned least_k_tiles = 4;   // of a split
  const unsigned k_tiles = blocks_for(args.k, tile_k);
  const double units = std::max(1, queue.device.compute_units);
  const double elements = static_cast<double>(args.m) * static_cast<double>(args.n);
  const double bytes = sizeof(std::uint16_t) * static_cast<double>(args.k) * static_cast<double>(args.m + args.n);
  const double moved = bytes / (share_of_peak * queue.device.peak_per_cycle("memory", 18) * units);
  Plan best{.row_tiles = blocks_for(args.m, tile_rows),
            .column_tiles = blocks_for(args.n, tile_columns),
            .k_tiles = k_tiles,
            .k_tiles_per_split = k_tiles,
            .splits = 1,
            .split_pitch = (args.m * args.n + 3) / 4 * 4};
  const unsigned tiles = best.row_tiles * best.column_tiles;
  const double stored = static_cast<double>(std::min<std::size_t>(args.m, tile_rows)) *
                        static_cast<double>(std::min<std::size_t>(args.n, tile_columns)) /
                        (args.n % 2 == 0 ? of_pairs_stored : elements_stored);
  const auto consider = [&](unsigned wanted) {
    Plan of = best;
    of.k_tiles_per_split = blocks_for(k_tiles, wanted);
    of.splits = blocks_for(k_tiles, of.k_tiles_per_split);  // none of them empty
    const double computed =
        std::ceil(tiles * of.splits / units) * (of_tile + of.k_tiles_per_split * of_k_tile + stored);
    const double added = of.splits > 1 ? 2 * sizeof(float) * elements * of.splits / (partial_bytes * units) : 0;
    of.cycles = fixed + std::max(computed, moved) + exposed * std::min(computed, moved) + added;
    if (of.cycles < best.cycles) best = of;
  };
  if (forced_splits > 0) {
    consider(std::min(forced_splits, k_tiles));
    return best;
  }
  for (unsigned splits = 1; splits == 1 || (splits <= 32 && k_tiles / splits >= least_k_tiles); ++splits)
    consider(splits);
  return best;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, unsigned splits) {
  if (args.c.empty() || args.k == 0) return 0;
  const Plan chosen = plan(queue, args, splits);
  return chosen.splits > 1 ? chosen.splits * chosen.split_pitch * sizeof(float) : 0;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, unsigned splits) {
  if (finish_if_empty(queue, args)) return;
  const Plan chosen = plan(queue, args, splits);
  const Output c(args);
  with_operand_types(args, [&]<bool bf16, bool b_transposed>() {
    launch(gemm_kernel<bf16, b_transposed>, dim3(chosen.row_tiles * chosen.column_tiles, chosen.splits), threads,
           Ring::bytes, queue, operands(args), chosen, chosen.splits == 1 ? c : c.partial_sums(queue.workspace.data()));
  });
  if (chosen.splits > 1) launch_add_partials(queue, chosen.split_pitch, chosen.splits, args.m * args.n, c);
}

double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  return args.c.empty() || args.k == 0 ? std::numeric_limits<double>::infinity() : plan(queue, args, 0).cycles;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args) { return workspace_bytes(queue, args, 0); }

void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, 0); }

unsigned tuned_splits(const Queue& queue) { return static_cast<unsigned>(queue.tuning["splits"]); }

std::size_t workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, tuned_splits(queue));
}

void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_splits(queue));
}

/// splits: of k; 0: by shape. pdl: programmatic dependent launch.
Tuning tuning(int splits, int pdl = 1) { return {{{"splits", splits}, {"pdl", pdl}}}; }
#endif

const Register<MatmulF16> variant{{
    .idea = "operands off 16 bytes, uncopied: producer warpgroups shift 16-byte loads in registers and store them as "
            "TMA would",
    .bound_by = "memory bandwidth",
    .improves = "repack",
    .needs = {"ptx", "wgmma"},
#if CROSSWARP_HAS_PTX
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(4), tuning(8)},
    .applies = [](const Point& point) { return !has_aligned_rows(point); },
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"HGMMA.64x128x16.F32", 4}, {"LDG.E.128", 24}, {"STS.128", 12}, {"SHF.R", 12}},
#endif
}};

}  // namespace matmul_f16_gathered
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
