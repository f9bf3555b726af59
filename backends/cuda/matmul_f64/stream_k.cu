// Matrix instructions of single warps on doubles, of depth 16 (mma.sync.m16n8k16), from a ring of stages that cp.async
// fills without a break: a resident grid shares the k-tiles evenly (Stream-K), and the copies of a block's next tile
// start before it stores the last one. No block waits for another: the last one to finish its share of a tile adds the
// partial sums. Bound by the matrix instructions, and for large products by power.
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/raster.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f64/mma_f64.hpp"
#include "backends/cuda/matmul_f64/stream_k.hpp"
#include "experiments/matmul_f64.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f64_stream_k {

#if CROSSWARP_HAS_MMA_F64
constexpr unsigned tile_columns = 64, tile_k = 16, warps = 4, threads = warps * mma_lanes;

/// C = A·B of row-major matrices.
struct Problem {
  const double *a, *b;
  double* c;
  std::size_t m, n, k;
  unsigned tiles_m, tiles_n;
};

/// A block's tile of C: two rows of two warps. Rows are four doubles longer in shared memory than they need be: the 16
/// lanes that load at once, four rows of four, hit all banks.
template <unsigned rows_>
struct Tile {
  static constexpr unsigned rows = rows_;
  static constexpr unsigned warp_rows = rows / 2, warp_columns = tile_columns / 2;
  static constexpr unsigned fragments_m = warp_rows / 16, fragments_n = warp_columns / 8;
  static constexpr unsigned sums = fragments_m * fragments_n * 4;  // of a thread
  static constexpr unsigned resident = rows == 64 ? 3 : 2, stages = rows == 64 ? 4 : 3;
  static constexpr unsigned a_pitch = tile_k + 4, b_pitch = tile_columns + 4;
  static constexpr unsigned b_at = rows * a_pitch, stage_doubles = b_at + tile_k * b_pitch;
  static constexpr unsigned shared_bytes = stages * stage_doubles * sizeof(double);
};

/// Partial sums of shared tiles, in the workspace. A block begins at most one shared tile and continues at most one
/// that another block began: two slots per block.
struct PartialTiles {
  unsigned* finished;  ///< One per shared tile; 0 before and after every launch.
  double* sums;

  static std::size_t ticket_bytes(const StreamK& schedule) {
    return (schedule.shared * sizeof(unsigned) + 127) / 128 * 128;
  }
  static std::size_t bytes(const StreamK& schedule, std::size_t tile_bytes) {
    return schedule.shared > 0 ? ticket_bytes(schedule) + 2 * schedule.blocks * tile_bytes : 0;
  }
  /// `workspace` is aligned to 128 bytes, and was zeroed once.
  PartialTiles(std::span<std::byte> workspace, const StreamK& schedule)
      : finished(reinterpret_cast<unsigned*>(workspace.data())),
        sums(reinterpret_cast<double*>(workspace.data() + ticket_bytes(schedule))) {}

  /// The calling thread's part of a block's slot: elements that are `threads` apart.
  template <class T>
  __device__ double* slot(unsigned block, bool begins_tile) const {
    return sums + (std::size_t{2 * block + begins_tile} * T::sums) * threads + threadIdx.x;
  }
};

/// A thread's share of the copies of k-tiles: `width` doubles at a time, in the same columns of A, and of B. Two need
/// even n and k.
template <class T, unsigned width>
class TileCopy {
 public:
  /// Of a unit's k-tiles.
  __device__ TileCopy(const Problem& gemm, const StreamKUnit& unit) : left_(unit.end - unit.begin) {
    const TileCoord tile = Raster{gemm.tiles_m, gemm.tiles_n, 8}.tile(unit.tile);
    const std::size_t row = std::size_t{tile.row} * T::rows + a_row(), begin = std::size_t{unit.begin} * tile_k;
    const std::size_t column = std::size_t{tile.column} * tile_columns + b_column();
    a_ = gemm.a + row * gemm.k + begin + a_column();
    b_ = gemm.b + (begin + b_row()) * gemm.n + column;
    rows_ = row < gemm.m ? static_cast<unsigned>(std::min<std::size_t>(gemm.m - row, T::rows)) : 0;
    has_column_ = column < gemm.n;
    depth_ = gemm.k - begin;
  }

  /// K-tiles that are left.
  __device__ unsigned left() const { return left_; }

  /// Starts the copies of the next k-tile; zeros outside.
  __device__ void start(const Problem& gemm, double* stage) {
    double* const a = stage + a_row() * T::a_pitch + a_column();
    double* const b = stage + T::b_at + b_row() * T::b_pitch + b_column();
#pragma unroll
    for (unsigned i = 0; i < T::rows / a_rows; ++i) {
      const bool is_valid = i * a_rows < rows_ && a_column() < depth_;
      cp_async_doubles<width>(a + i * a_rows * T::a_pitch, is_valid ? a_ + i * a_rows * gemm.k : gemm.a, is_valid);
    }
#pragma unroll
    for (unsigned i = 0; i < tile_k / b_rows; ++i) {
      const bool is_valid = has_column_ && b_row() + i * b_rows < depth_;
      cp_async_doubles<width>(b + i * b_rows * T::b_pitch, is_valid ? b_ + i * b_rows * gemm.n : gemm.b, is_valid);
    }
    a_ += tile_k;
    b_ += tile_k * gemm.n;
    depth_ -= std::min<std::size_t>(depth_, tile_k);
    --left_;
  }

 private:
  static constexpr unsigned a_across = tile_k / width, b_across = tile_columns / width;  // copies of a row
  static constexpr unsigned a_rows = threads / a_across, b_rows = threads / b_across;    // between a thread's

  __device__ static unsigned a_row() { return threadIdx.x / a_across; }
  __device__ static unsigned a_column() { return threadIdx.x % a_across * width; }
  __device__ static unsigned b_row() { return threadIdx.x / b_across; }
  __device__ static unsigned b_column() { return threadIdx.x % b_across * width; }

  const double *a_, *b_;
  std::size_t depth_;     // steps of k that are left
  unsigned rows_, left_;  // rows from the thread's first one on
  bool has_column_;
};

/// Multiplies a warp's rows and columns of a k-tile. Calls `meanwhile` behind the first instructions: copies that start
/// before the first fragments would delay those.
template <class T, class Meanwhile>
__device__ void mma_k_tile(double (&sums)[T::fragments_m][T::fragments_n][4], const double* a, const double* b,
                           const Meanwhile& meanwhile) {
  double fragments_b[T::fragments_n][4];
#pragma unroll
  for (unsigned c = 0; c < T::fragments_n; ++c)
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) fragments_b[c][i] = b[4 * i * T::b_pitch + 8 * c];
#pragma unroll
  for (unsigned r = 0; r < T::fragments_m; ++r) {
    double fragment_a[8];
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) fragment_a[i] = a[(16 * r + 8 * (i % 2)) * T::a_pitch + 4 * (i / 2)];
#pragma unroll
    for (unsigned c = 0; c < T::fragments_n; ++c) mma_m16n8k16(sums[r][c], fragment_a, fragments_b[c]);
    if (r == 0) meanwhile();
  }
}

/// Fix-up of a shared tile: stores the calling block's sums to its slot. Returns true in the last block to come, whose
/// sums are then those of all blocks, added in their order: results do not depend on timing.
template <class T>
__device__ bool add_partials(const PartialTiles& partials, const StreamKUnit& unit,
                             double (&sums)[T::fragments_m][T::fragments_n][4]) {
  double* const own = partials.slot<T>(blockIdx.x, blockIdx.x == unit.first);
  const auto each = [&](const auto& use) {
#pragma unroll
    for (unsigned i = 0; i < T::sums; ++i) use(i, sums[i / 4 / T::fragments_n][i / 4 % T::fragments_n][i % 4]);
  };
  each([&](unsigned i, double& sum) { own[i * threads] = sum; });
  if (!is_last_block<Writers::all_threads>(partials.finished + unit.tile, unit.last - unit.first + 1)) return false;
  each([&](unsigned, double& sum) { sum = 0; });
#pragma unroll 1
  for (unsigned block = unit.first; block <= unit.last; ++block) {
    const double* const from = partials.slot<T>(block, block == unit.first);
    each([&](unsigned i, double& sum) { sum += load_coherent(from + i * threads); });
  }
  return true;
}

/// width: doubles of a store.
template <class T, unsigned width>
__device__ void store_tile(const Problem& gemm, const StreamKUnit& unit, unsigned warp_row, unsigned warp_column,
                           const double (&sums)[T::fragments_m][T::fragments_n][4]) {
  const unsigned g = threadIdx.x % mma_lanes / 4, t = threadIdx.x % 4;
  const TileCoord tile = Raster{gemm.tiles_m, gemm.tiles_n, 8}.tile(unit.tile);
  const std::size_t column = std::size_t{tile.column} * tile_columns + warp_column + 2 * t;
#pragma unroll
  for (unsigned r = 0; r < T::fragments_m; ++r)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const std::size_t row = std::size_t{tile.row} * T::rows + warp_row + 16 * r + 8 * h + g;
      if (row >= gemm.m) continue;
      double* const to = gemm.c + row * gemm.n + column;
#pragma unroll
      for (unsigned c = 0; c < T::fragments_n; ++c) {
        const DoublePair pair{sums[r][c][2 * h], sums[r][c][2 * h + 1]};
        if constexpr (width == 2) {
          if (column + 8 * c < gemm.n) *reinterpret_cast<DoublePair*>(to + 8 * c) = pair;
        } else {
          if (column + 8 * c < gemm.n) to[8 * c] = pair.first;
          if (column + 8 * c + 1 < gemm.n) to[8 * c + 1] = pair.second;
        }
      }
    }
}

/// width: 2 where rows of A, B and C begin at multiples of 16 bytes.
template <class T, unsigned width>
__global__ void __launch_bounds__(threads, T::resident)
    gemm_kernel(Problem gemm, StreamK schedule, PartialTiles partials) {
  constexpr unsigned stages = T::stages, slots = 2 * stages;
  double* const ring = dynamic_shared<double>();
  // Copies are at most stages - 1 k-tiles ahead, hence as many units. Unit u is written when unit u - stages is done:
  // a barrier before copies need it, and long after they have left unit u - slots.
  __shared__ StreamKWork work;
  __shared__ StreamKUnit units[slots];
  if (threadIdx.x == 0) {
    work = StreamKWork::of(schedule, blockIdx.x);
    for (unsigned u = 0; u < stages; ++u) units[u] = work.next(schedule);
  }
  __syncthreads();
  unsigned copied = 0;  // the unit whose k-tiles are being copied
  TileCopy<T, width> copy(gemm, units[0]);
  const auto load = [&](unsigned stage) {
    if (copy.left() == 0 && !units[copied % slots].is_empty()) {
      ++copied;
      copy = TileCopy<T, width>(gemm, units[copied % slots]);
    }
    if (copy.left() > 0) copy.start(gemm, ring + stage * T::stage_doubles);
    cp_async_commit_group();  // an empty group keeps the count
  };
#pragma unroll 1
  for (unsigned stage = 0; stage + 1 < stages; ++stage) load(stage);

  const unsigned warp = threadIdx.x / mma_lanes, lane = threadIdx.x % mma_lanes, g = lane / 4, t = lane % 4;
  const unsigned warp_row = warp / 2 * T::warp_rows, warp_column = warp % 2 * T::warp_columns;
  const double* const a = ring + (warp_row + g) * T::a_pitch + t;
  const double* const b = ring + T::b_at + t * T::b_pitch + warp_column + g;
  unsigned stage = 0, previous = stages - 1;
  for (unsigned u = 0; !units[u % slots].is_empty(); ++u) {
    double sums[T::fragments_m][T::fragments_n][4] = {};
#pragma unroll 1
    for (unsigned left = units[u % slots].end - units[u % slots].begin; left > 0; --left) {
      cp_async_wait_group<stages - 2>();
      __syncthreads();  // all threads have loaded this stage, all warps have read the previous one
      mma_k_tile<T>(sums, a + stage * T::stage_doubles, b + stage * T::stage_doubles, [&] { load(previous); });
      previous = stage;
      stage = stage + 1 == stages ? 0 : stage + 1;
    }
    const StreamKUnit unit = units[u % slots];
    if (threadIdx.x == 0) units[(u + stages) % slots] = work.next(schedule);
    if (!unit.is_shared() || add_partials<T>(partials, unit, sums))
      store_tile<T, width>(gemm, unit, warp_row, warp_column, sums);
  }
}

/// Calls `use` with the tile of the tuning: `[&]<class T>()`.
template <class Use>
void with_tile(const Queue& queue, Use&& use) {
  with_constant<128, 64>(queue.tuning["rows"], [&]<unsigned rows>() { use.template operator()<Tile<rows>>(); });
}

template <class T>
StreamK schedule_of(const Queue& queue, const MatmulF64::Args& args) {
  constexpr unsigned least_share = 4;  // k-tiles: a smaller share takes less time than its partial sums
  const unsigned tiles = blocks_for(args.m, T::rows) * blocks_for(args.n, tile_columns);
  return {tiles, std::max(1u, blocks_for(args.k, tile_k)),
          T::resident * static_cast<unsigned>(queue.device.compute_units), least_share};
}

std::size_t workspace(const Queue& queue, const MatmulF64::Args& args) {
  std::size_t bytes = 0;
  if (!args.c.empty())
    with_tile(queue, [&]<class T>() {
      bytes = PartialTiles::bytes(schedule_of<T>(queue, args), T::rows * tile_columns * sizeof(double));
    });
  return bytes;
}

void gemm(const Queue& queue, const MatmulF64::Args& args) {
  if (args.c.empty()) return;
  with_tile(queue, [&]<class T>() {
    const Problem problem{.a = args.a.data(),
                          .b = args.b.data(),
                          .c = args.c.data(),
                          .m = args.m,
                          .n = args.n,
                          .k = args.k,
                          .tiles_m = blocks_for(args.m, T::rows),
                          .tiles_n = blocks_for(args.n, tile_columns)};
    const StreamK schedule = schedule_of<T>(queue, args);
    launch(args.n % 2 == 0 && args.k % 2 == 0 ? gemm_kernel<T, 2> : gemm_kernel<T, 1>, schedule.blocks, threads,
           T::shared_bytes, queue, problem, schedule, PartialTiles(queue.workspace, schedule));
  });
}
#endif

const Register<MatmulF64> variant{{
    .idea = "blocks share k-tiles evenly, copies go on from tile to tile, mma.sync of depth 16",
    .bound_by = "the matrix units; large products by power",
    .improves = "mma_multistage",
    .needs = needs_of_mma_f64,
#if CROSSWARP_HAS_MMA_F64
    .tunings = {{{{"rows", 128}}}, {{{"rows", 64}}}},
    .workspace = workspace,
    .launch = gemm,
    .instructions = {{"DMMA.16x8x16", 16}, {"LDS.64", 48}, {"LDGSTS.E.BYPASS.128", 12}},
#endif
}};

}  // namespace matmul_f64_stream_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
