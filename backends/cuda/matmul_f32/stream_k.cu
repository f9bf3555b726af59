// Stream-K: a resident grid shares the k-tiles of the last waves evenly, wherever tiles of C begin and end, so that no
// multiprocessor idles in a partial wave. Bound by the issue of multiply-adds, as register_prefetch, and by the traffic
// of partial sums through L2. Wins where waves are few and partial, as at 1536 on an H200. At 4096 (3.88 waves of 128 ×
// 128) its blocks are at different depths of k and share less in L2: register_prefetch is 2 % faster.
//
// Stream-K is due to Osama, Merrill, Cecka, Garland and Owens, 2023. Unlike theirs, no block waits for another: the
// last block to finish its share of a tile adds the partial sums.
#include "backends/cuda/matmul_f32/dispatch.hpp"

#include "backends/cuda/device/last_block.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_stream_k {

/// Who computes what. The first `shared` tiles are one sequence of iterations, a k-tile each, cut into an equal range
/// per block. The others are whole tiles: block b computes every blocks-th of them, from the b-th on.
struct Schedule {
  unsigned tiles, k_tiles, blocks;
  unsigned shared;  ///< 0 where waves are full; otherwise the last full wave and the partial one.

  Schedule(unsigned tiles_, unsigned k_tiles_, unsigned max_blocks)
      : tiles(tiles_),
        k_tiles(k_tiles_),
        blocks(std::min<std::uint64_t>(max_blocks, std::uint64_t{tiles_} * k_tiles_)) {
    shared = tiles % blocks == 0 ? 0 : std::min(tiles, tiles % blocks + blocks);
  }

  /// The first iteration of a block.
  constexpr std::uint64_t first_of(unsigned block) const { return std::uint64_t{shared} * k_tiles * block / blocks; }
  /// The block of an iteration.
  constexpr unsigned block_of(std::uint64_t iteration) const {
    return static_cast<unsigned>(((iteration + 1) * blocks - 1) / (std::uint64_t{shared} * k_tiles));
  }
};

/// K-tiles begin … end of a tile, which blocks first … last share. Empty: the block is done.
struct WorkUnit {
  unsigned tile, begin, end, first, last;
};

/// A block's work: first its shares, whose partial sums then travel while other blocks multiply, then whole tiles.
struct WorkList {
  std::uint64_t iteration, stop;
  unsigned whole;

  static constexpr WorkList of(const Schedule& schedule, unsigned block) {
    return {schedule.first_of(block), schedule.first_of(block + 1), schedule.shared + block};
  }

  constexpr WorkUnit next(const Schedule& schedule) {
    if (iteration == stop) {
      const WorkUnit unit{whole, 0, whole < schedule.tiles ? schedule.k_tiles : 0, 0, 0};
      whole += schedule.blocks;
      return unit;
    }
    const auto tile = static_cast<unsigned>(iteration / schedule.k_tiles);
    const auto begin = static_cast<unsigned>(iteration % schedule.k_tiles);
    const std::uint64_t left = stop - iteration, first_iteration = iteration - begin;
    const unsigned end = left < schedule.k_tiles - begin ? begin + static_cast<unsigned>(left) : schedule.k_tiles;
    const WorkUnit unit{tile, begin, end, schedule.block_of(first_iteration),
                        schedule.block_of(first_iteration + schedule.k_tiles - 1)};
    iteration += end - begin;
    return unit;
  }
};

/// Partial sums of shared tiles, in the workspace. A block begins at most one shared tile and continues at most one
/// that another block began: two slots per block.
template <class Tile>
struct PartialTiles {
  static constexpr unsigned vectors = Tile::thread_m * Tile::thread_n / 4;  // of 16 bytes, per thread

  unsigned* finished;  ///< One per shared tile; 0 before and after every launch.
  float4* sums;

  static constexpr std::size_t ticket_bytes(const Schedule& schedule) {
    return (schedule.shared * sizeof(unsigned) + 127) / 128 * 128;
  }
  static constexpr std::size_t bytes(const Schedule& schedule) {
    const std::size_t slots = schedule.shared > 0 ? 2 * schedule.blocks : 0;
    return ticket_bytes(schedule) + slots * vectors * Tile::threads * sizeof(float4);
  }
  /// `workspace` is aligned to 128 bytes, and was zeroed once.
  PartialTiles(std::span<std::byte> workspace, const Schedule& schedule)
      : finished(reinterpret_cast<unsigned*>(workspace.data())),
        sums(reinterpret_cast<float4*>(workspace.data() + ticket_bytes(schedule))) {}

  /// The calling thread's part of a block's slot.
  __device__ float4* slot(unsigned block, bool begins_tile) const {
    return sums + std::size_t{2 * block + begins_tile} * (vectors * Tile::threads) + threadIdx.x;
  }
};

/// Fix-up of a shared tile: stores the calling block's accumulators to its slot. Returns true in the last block to
/// come, whose accumulators are then the sum over all blocks, added in their order: results do not depend on timing.
template <class Tile>
__device__ bool reduce_partials(const PartialTiles<Tile>& partials, unsigned tile, unsigned first, unsigned last,
                                float (&acc)[Tile::thread_m][Tile::thread_n]) {
  constexpr unsigned row_vectors = Tile::thread_n / 4;
  float4* const own = partials.slot(blockIdx.x, blockIdx.x == first);
#pragma unroll
  for (unsigned v = 0; v < PartialTiles<Tile>::vectors; ++v)
    own[v * Tile::threads] = to_fresh_registers(&acc[v / row_vectors][v % row_vectors * 4]);
  if (!is_last_block<Writers::all_threads>(partials.finished + tile, last - first + 1)) return false;
#pragma unroll
  for (unsigned i = 0; i < Tile::thread_m * Tile::thread_n; ++i) acc[i / Tile::thread_n][i % Tile::thread_n] = 0;
#pragma unroll 1
  for (unsigned block = first; block <= last; ++block) {
    const float4* const from = partials.slot(block, block == first);
#pragma unroll
    for (unsigned v = 0; v < PartialTiles<Tile>::vectors; ++v) {
      const float4 sum = load_coherent(from + v * Tile::threads);
      float* const to = &acc[v / row_vectors][v % row_vectors * 4];
      to[0] += sum.x, to[1] += sum.y, to[2] += sum.z, to[3] += sum.w;
    }
  }
  return true;
}

template <class Tile, AlignedRows rows>
static __global__ void __launch_bounds__(Tile::threads, Tile::min_blocks)
    gemm_kernel(GemmProblem problem, Schedule schedule, PartialTiles<Tile> partials) {
  // In shared memory: multiply_accumulate() takes all registers.
  __shared__ WorkList work;
  __shared__ WorkUnit unit;
  if (threadIdx.x == 0) work = WorkList::of(schedule, blockIdx.x);
  grid_dependency_sync();
  for (;;) {
    __syncthreads();  // no thread reads the previous unit or its stages any more
    if (threadIdx.x == 0) unit = work.next(schedule);
    __syncthreads();
    if (unit.begin == unit.end) return;
    const std::size_t k_end = std::size_t{unit.end} * Tile::k;
    float acc[Tile::thread_m][Tile::thread_n] = {};
    // Blocks are at different depths of k, so that operands rarely hit L2: A is prefetched.
    multiply_accumulate<Tile, rows, true>(problem, rasterize(problem, unit.tile), std::size_t{unit.begin} * Tile::k,
                                          k_end < problem.k ? k_end : problem.k, acc);
    const bool is_complete =
        unit.first == unit.last || reduce_partials<Tile>(partials, unit.tile, unit.first, unit.last, acc);
    if (!is_complete) continue;
    store_tile<Tile, rows>(problem, rasterize(problem, unit.tile), acc);
  }
}

template <class Tile>
Schedule schedule_of(const Queue& queue, const MatmulF32::Args& args) {
  const unsigned tiles = blocks_for(args.n, Tile::n) * blocks_for(args.m, Tile::m);
  return {tiles, blocks_for(args.k, Tile::k), Tile::min_blocks * static_cast<unsigned>(queue.device.compute_units)};
}

template <class Tile>
std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args) {
  return PartialTiles<Tile>::bytes(schedule_of<Tile>(queue, args));
}

template <class Tile>
void gemm(const Queue& queue, const MatmulF32::Args& args) {
  const Schedule schedule = schedule_of<Tile>(queue, args);
  const GemmProblem problem = gemm_problem<Tile>(args);
  dispatch_rows(args, [&]<AlignedRows rows>() {
    launch(gemm_kernel<Tile, rows>, schedule.blocks, Tile::threads, Tile::shared_bytes, queue, problem, schedule,
           PartialTiles<Tile>(queue.workspace, schedule));
  });
}

template void gemm<WideTile>(const Queue&, const MatmulF32::Args&);
template std::size_t workspace_bytes<WideTile>(const Queue&, const MatmulF32::Args&);

/// Calls `use` with the tile of the tuning: `[&]<class Tile>()`.
template <class Use>
auto with_tile(const Queue& queue, Use&& use) {
  if (queue.tuning["rows"] == 64) return use.template operator()<FlatTile>();
  if (queue.tuning["columns"] == 256) return use.template operator()<WideTile>();
  return use.template operator()<LargeTile>();
}

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return with_tile(queue, [&]<class Tile>() { return workspace_bytes<Tile>(queue, args); });
}

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  if (args.c.empty()) return;
  with_tile(queue, [&]<class Tile>() { gemm<Tile>(queue, args); });
}

const Register<MatmulF32> variant{{
    .idea = "blocks share the last waves by k-tiles instead of tiles, so that all finish together",
    .bound_by = "issue of multiply-adds",
    .improves = "register_prefetch",
    .tunings = {{{{"rows", 128}, {"columns", 256}}},
                {{{"rows", 128}, {"columns", 128}}},
                {{{"rows", 64}, {"columns", 128}}}},
    .workspace = workspace,
    .launch = launch_tuned,
}};

}  // namespace matmul_f32_stream_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
