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
constexpr unsigned vector = 8;                           // elements of a chunk
constexpr unsigned tile_chunks = row_elements / vector;  // of a row of a k-tile
using Ring = OperandRing<tile_rows, tile_columns, stages>;

struct Plan {
  unsigned row_tiles, column_tiles, k_tiles, k_tiles_per_split, splits;
  std::size_t split_pitch;  ///< Elements between splits' partial sums.
  double cycles = std::numeric_limits<double>::infinity();
};

#if CROSSWARP_TARGET_HAS_WGMMA
/// Where a chunk of eight elements is in its operand.
struct ChunkAt {
  unsigned row, column;

  __device__ bool is_outside(const Operand& from) const { return row >= from.rows || column >= from.columns; }
  __device__ std::size_t first(const Operand& from) const { return std::size_t{row} * from.pitch + column; }
  /// All of it is within the row, and both vectors that hold it are within the matrix.
  __device__ bool is_whole(const Operand& from) const {
    return row < from.rows && column + vector <= from.columns &&
           vector * (first(from) / vector + 2) <= std::size_t{from.rows} * from.pitch;
  }
};

/// A thread's share of an operand's k-tile: `count` chunks. `at(i)`: where chunk i is in the operand; `to(i)`: its
/// shared address.
template <unsigned count>
struct Chunks {
  uint4 low[count], high[count];

  template <class At>
  __device__ void load(const Operand& from, const At& at) {
    const uint4* const vectors = reinterpret_cast<const uint4*>(from.data);
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      low[i] = high[i] = {};
      if (const ChunkAt chunk = at(i); chunk.is_whole(from)) {
        low[i] = vectors[chunk.first(from) / vector];
        high[i] = vectors[chunk.first(from) / vector + 1];
      }
    }
  }
  /// Zeros outside. `may_be_ragged`: chunks may lie across an edge of the operand.
  template <class At, class To>
  __device__ void store(const Operand& from, bool may_be_ragged, const At& at, const To& to) const {
#pragma unroll
    for (unsigned i = 0; i < count; ++i) store_shared(to(i), shifted(low[i], high[i], at(i).first(from) % vector));
    if (!may_be_ragged) return;
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i)
      if (const ChunkAt chunk = at(i); !chunk.is_outside(from) && !chunk.is_whole(from))
        store_shared(to(i), from.chunk(chunk.row, chunk.column));
  }
};

/// Whether a tile of `columns` from `column` on has chunks that lie across an edge.
__device__ inline bool may_be_ragged(const Operand& from, unsigned column, unsigned columns) {
  return column + columns + vector > from.columns;
}
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
  grid_dependency_sync();

  const unsigned group = warp_uniform(threadIdx.x / warpgroup_size);
  PipelineState state;
  if (group < producers) {
    const unsigned thread = threadIdx.x % warpgroup_size;
    const auto& [a, b] = operands;
    for (unsigned i = 0; i < group; ++i) state.advance(stages);
    for (unsigned i = group; i < k_tiles; i += producers) {
      const unsigned k = (first_k_tile + i) * tile_k;
      // Neighbouring threads have neighbouring chunks of a row.
      const auto part = [&](unsigned j) { return j * warpgroup_size + thread; };
      const auto a_at = [&](unsigned j) {
        return ChunkAt{row + part(j) / tile_chunks, k + part(j) % tile_chunks * vector};
      };
      const auto a_to = [&](unsigned j) {
        return ring.a(state.index) + swizzled(part(j) / tile_chunks, part(j) % tile_chunks);
      };
      constexpr unsigned panels = tile_columns / row_elements;  // of B, where it is not transposed
      const auto b_at = [&](unsigned j) {
        return b_transposed
                   ? ChunkAt{column + part(j) / tile_chunks, k + part(j) % tile_chunks * vector}
                   : ChunkAt{k + part(j) / (panels * tile_chunks), column + part(j) % (panels * tile_chunks) * vector};
      };
      const auto b_to = [&](unsigned j) {
        const unsigned in_row = part(j) % (panels * tile_chunks);
        return ring.b(state.index) + (b_transposed
                                          ? swizzled(part(j) / tile_chunks, part(j) % tile_chunks)
                                          : in_row / tile_chunks * tile_k * row_bytes +
                                                swizzled(part(j) / (panels * tile_chunks), in_row % tile_chunks));
      };
      Chunks<tile_columns * tile_chunks / warpgroup_size> of_b;
      Chunks<tile_rows * tile_chunks / warpgroup_size> of_a;
      of_b.load(b, b_at);
      of_a.load(a, a_at);
      pipeline.empty[state.index].wait(state.phase ^ 1);
      of_b.store(b, b_transposed ? may_be_ragged(b, k, tile_k) : may_be_ragged(b, column, tile_columns), b_at, b_to);
      of_a.store(a, may_be_ragged(a, k, tile_k), a_at, a_to);
      fence_proxy_async();
      sync_warp();
      if (thread % warp_size() == 0) pipeline.full[state.index].arrive();
      for (unsigned turn = 0; turn < producers; ++turn) state.advance(stages);
    }
    return;
  }

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
  sums.add(k_tiles, wait, release, [](unsigned) {});
  const Output out = gridDim.y > 1 ? c.offset(blockIdx.y * plan.split_pitch) : c;
  const unsigned warp = warp_uniform(threadIdx.x % warpgroup_size / warp_size());
  out.store_fragment<bf16>(row + 16 * warp, column, sums.sums());
#endif
}

/// The splits of least expected cycles, or those given. Requires m, n, k > 0. A multiprocessor has one block, which
/// waits for its loads; memory's share overlaps with that in part.
Plan plan(const Queue& queue, const MatmulF16::Args& args, unsigned forced_splits) {
  constexpr double fixed = 6000, of_k_tile = 900, of_split = 3000, partial_bytes = 28, share_of_peak = 0.85,
                   exposed = 0.3;
  constexpr unsigned least_k_tiles = 4;  // of a split
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
  const auto consider = [&](unsigned wanted) {
    Plan of = best;
    of.k_tiles_per_split = blocks_for(k_tiles, wanted);
    of.splits = blocks_for(k_tiles, of.k_tiles_per_split);  // none of them empty
    const double computed = std::ceil(tiles * of.splits / units) * of.k_tiles_per_split * of_k_tile;
    const double added =
        of.splits > 1 ? of_split + 2 * sizeof(float) * elements * of.splits / (partial_bytes * units) : 0;
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
