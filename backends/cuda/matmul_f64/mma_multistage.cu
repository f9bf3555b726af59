// Matrix instructions of single warps on doubles (mma.sync, DMMA), fed from shared memory by 8-byte loads; a ring of
// stages that cp.async fills ahead, by pairs of doubles where rows begin at multiples of 16 bytes: single ones would
// pass through L1, whose bandwidth the fragments need. Bound by these instructions: a k-tile of two blocks of 128 x 64
// takes 2048 cycles on Hopper, its loads from shared memory a third of that.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f64/mma_f64.hpp"
#include "backends/cuda/matmul_f64/split_tiles.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f64_mma_multistage {

#if CROSSWARP_HAS_MMA_F64
using matmul_f64::Config, matmul_f64::SplitTiles, matmul_f64::Target, matmul_f64::tile_k;

/// C = A·B of row-major matrices.
struct Problem {
  const double *a, *b;
  std::size_t m, n, k;
};

/// Four warps. Rows are four doubles longer in shared memory than they need be: the 16 lanes that load at once, four
/// rows of four, hit all banks. Blocks beside each other wait for copies and fragments at different times.
template <unsigned tile_rows, unsigned tile_columns, unsigned rows_of_warp, unsigned columns_of_warp,
          unsigned resident_blocks>
struct Tile {
  static constexpr unsigned rows = tile_rows, columns = tile_columns, resident = resident_blocks;
  static constexpr unsigned warp_rows = rows_of_warp, warp_columns = columns_of_warp;
  static constexpr unsigned warps_across = columns / warp_columns;
  static constexpr unsigned warps = rows / warp_rows * warps_across, threads = warps * mma_lanes;
  static constexpr unsigned stages = rows == 128 ? 3 : 4;
  static constexpr unsigned a_pitch = tile_k + 4, b_pitch = columns + 4;
  static constexpr unsigned b_at = rows * a_pitch, stage_doubles = b_at + tile_k * b_pitch;
  static constexpr unsigned shared_bytes = stages * stage_doubles * sizeof(double);
};

/// A thread's share of the copies of k-tiles: `width_a` and `width_b` doubles at a time, in the same columns of A, and
/// of B. Two need even k, and even n.
template <class T, unsigned width_a, unsigned width_b>
class TileCopy {
 public:
  /// Of the tile that begins at (`row`, `column`); the steps of k from `begin` to before `end`.
  __device__ TileCopy(const Problem& gemm, std::size_t row, std::size_t column, std::size_t begin, std::size_t end)
      : gemm_(gemm),
        a_at_((row + a_row()) * gemm.k + begin + a_column()),
        b_at_((begin + b_row()) * gemm.n + column + b_column()),
        a_step_(a_rows * gemm.k),
        b_step_(b_rows * gemm.n),
        rows_(row + a_row() < gemm.m ? gemm.m - row - a_row() : 0),
        depth_(end - begin),
        has_column_(column + b_column() < gemm.n) {}

  /// Starts the copies of the next k-tile; zeros outside.
  __device__ void start(double* stage) {
    double* const a = stage + a_row() * T::a_pitch + a_column();
    double* const b = stage + T::b_at + b_row() * T::b_pitch + b_column();
#pragma unroll
    for (unsigned i = 0; i < T::rows / a_rows; ++i) {
      const bool is_valid = i * a_rows < rows_ && a_column() < depth_;
      cp_async_doubles<width_a>(a + i * a_rows * T::a_pitch, gemm_.a + (is_valid ? a_at_ + i * a_step_ : 0), is_valid);
    }
#pragma unroll
    for (unsigned i = 0; i < tile_k / b_rows; ++i) {
      const bool is_valid = has_column_ && b_row() + i * b_rows < depth_;
      cp_async_doubles<width_b>(b + i * b_rows * T::b_pitch, gemm_.b + (is_valid ? b_at_ + i * b_step_ : 0), is_valid);
    }
    a_at_ += tile_k;
    b_at_ += tile_k / b_rows * b_step_;
    depth_ = depth_ > tile_k ? depth_ - tile_k : 0;
  }

 private:
  static constexpr unsigned a_across = tile_k / width_a, b_across = T::columns / width_b;    // copies of a row
  static constexpr unsigned a_rows = T::threads / a_across, b_rows = T::threads / b_across;  // between a thread's

  __device__ static unsigned a_row() { return threadIdx.x / a_across; }
  __device__ static unsigned a_column() { return threadIdx.x % a_across * width_a; }
  __device__ static unsigned b_row() { return threadIdx.x / b_across; }
  __device__ static unsigned b_column() { return threadIdx.x % b_across * width_b; }

  const Problem& gemm_;
  std::size_t a_at_, b_at_, a_step_, b_step_;
  std::size_t rows_, depth_;  // that are left, from the thread's first row on
  bool has_column_;
};

/// Multiplies a warp's rows and columns of a k-tile. `a`, `b`: its first row, its first column in shared memory. Calls
/// `meanwhile` behind the first instructions: copies that start before the first fragments would delay those.
template <class T, class Meanwhile>
__device__ void mma_k_tile(double (&sums)[T::warp_rows / 16][T::warp_columns / 8][4], const double* a, const double* b,
                           const Meanwhile& meanwhile) {
  const unsigned g = threadIdx.x % mma_lanes / 4, t = threadIdx.x % 4;
#pragma unroll
  for (unsigned step = 0; step < tile_k; step += 8) {
    double fragments_a[T::warp_rows / 16][4], fragments_b[T::warp_columns / 8][2];
#pragma unroll
    for (unsigned r = 0; r < T::warp_rows / 16; ++r)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
        fragments_a[r][i] = a[(16 * r + g + 8 * (i % 2)) * T::a_pitch + step + t + 4 * (i / 2)];
#pragma unroll
    for (unsigned c = 0; c < T::warp_columns / 8; ++c)
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) fragments_b[c][i] = b[(step + t + 4 * i) * T::b_pitch + 8 * c + g];
#pragma unroll
    for (unsigned r = 0; r < T::warp_rows / 16; ++r)
#pragma unroll
      for (unsigned c = 0; c < T::warp_columns / 8; ++c) mma_m16n8k8(sums[r][c], fragments_a[r], fragments_b[c]);
    if (step == 0) meanwhile();
  }
}

/// Stores eight columns, from the first one on, of the row that begins at `to`: lane t of four has columns 2t and 2t
/// + 1. Single doubles are exchanged, so that a store's neighbours are neighbours in memory. By all lanes; `left`:
/// columns from the first one on, 0 for rows outside.
template <unsigned width>
__device__ void store_columns(double* to, std::size_t left, const DoublePair& own) {
  const unsigned lane = threadIdx.x % warp_size(), t = lane % 4;
  if constexpr (width == 2) {
    if (2 * t < left) *reinterpret_cast<DoublePair*>(to + 2 * t) = own;
  } else {
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned from = lane - t + 2 * half + t / 2, column = 4 * half + t;
      const double even = shuffle(own.first, from), odd = shuffle(own.second, from);
      if (column < left) to[column] = t % 2 ? odd : even;
    }
  }
}

template <class T, unsigned width_a, unsigned width_b>
__global__ void __launch_bounds__(T::threads, T::resident) gemm_kernel(Problem gemm, SplitTiles tiles) {
  constexpr unsigned stages = T::stages;
  double* const ring = dynamic_shared<double>();
  const WorkTile work = tiles.scheduler.work_tile(blockIdx.x);
  const unsigned k_tiles = work.k_tiles;
  const std::size_t begin = std::size_t{work.first_k_tile} * tile_k;
  TileCopy<T, width_a, width_b> copy(gemm, std::size_t{work.tile.row} * T::rows,
                                     std::size_t{work.tile.column} * T::columns, begin,
                                     std::min(begin + std::size_t{k_tiles} * tile_k, gemm.k));
  grid_dependency_wait();
  const auto load = [&](unsigned k_tile, unsigned stage) {
    if (k_tile < k_tiles) copy.start(ring + stage * T::stage_doubles);
    cp_async_commit_group();  // an empty group keeps the count
  };
#pragma unroll 1
  for (unsigned stage = 0; stage + 1 < stages; ++stage) load(stage, stage);

  const unsigned warp = threadIdx.x / mma_lanes;
  const unsigned warp_row = warp / T::warps_across * T::warp_rows,
                 warp_column = warp % T::warps_across * T::warp_columns;
  double sums[T::warp_rows / 16][T::warp_columns / 8][4] = {};
  for (unsigned k_tile = 0; k_tile < k_tiles; ++k_tile) {
    cp_async_wait_group<stages - 2>();
    __syncthreads();  // all threads have loaded this stage, all warps have read the previous one
    const double* const stage = ring + k_tile % stages * T::stage_doubles;
    mma_k_tile<T>(sums, stage + warp_row * T::a_pitch, stage + T::b_at + warp_column,
                  [&] { load(k_tile + stages - 1, (k_tile + stages - 1) % stages); });
  }

  launch_dependents();
  const Target c = tiles.target(blockIdx.x, work.tile);
#pragma unroll
  for (unsigned r = 0; r < T::warp_rows / 16; ++r)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      const std::size_t c_row = c.row + warp_row + 16 * r + 8 * h + threadIdx.x % mma_lanes / 4;
#pragma unroll
      for (unsigned j = 0; j < T::warp_columns / 8; ++j) {
        const std::size_t c_column = c.column + warp_column + 8 * j;
        store_columns<width_b>(c.data + c_row * c.columns + c_column,
                               c_row < c.rows && c_column < c.columns ? c.columns - c_column : 0,
                               {sums[r][j][2 * h], sums[r][j][2 * h + 1]});
      }
    }
}

/// Calls `use` with the configuration's tile: `[&]<class T>()`.
template <class Use>
void with_tile(const Config& config, Use&& use) {
  matmul_f64::choose_tile<Tile<128, 64, 64, 32, 2>, Tile<64, 64, 32, 32, 3>, Tile<32, 32, 16, 16, 4>,
                          Tile<16, 128, 16, 32, 4>, Tile<128, 16, 32, 16, 3>>(config, use);
}

void gemm(const Queue& queue, const MatmulF64::Args& args, const Config& config) {
  if (args.c.empty()) return;
  const Problem problem{args.a.data(), args.b.data(), args.m, args.n, args.k};
  const SplitTiles tiles = matmul_f64::split_tiles(queue, args, config, 8);
  with_tile(config, [&]<class T>() {
    with_constant<1, 2>(args.k % 2 == 0 ? 2 : 1, [&]<unsigned width_a>() {
      with_constant<1, 2>(args.n % 2 == 0 ? 2 : 1, [&]<unsigned width_b>() {
        launch_spread(gemm_kernel<T, width_a, width_b>, tiles.scheduler.count(), T::threads, T::shared_bytes, queue,
                      problem, tiles);
      });
    });
  });
  matmul_f64::launch_add_split_tiles(queue, tiles);
}

void launch_tuned(const Queue& queue, const MatmulF64::Args& args) {
  gemm(
      pdl_by_tuning(queue), args,
      {.rows = static_cast<unsigned>(queue.tuning["rows"]), .columns = static_cast<unsigned>(queue.tuning["columns"])});
}

/// A block's tile of C. pdl: programmatic dependent launch.
Tuning tuning(int rows, int columns, int pdl = 1) { return {{{"rows", rows}, {"columns", columns}, {"pdl", pdl}}}; }

#endif

const Register<MatmulF64> variant{{
    .idea = "mma.sync on doubles, fed from a cp.async ring",
    .bound_by = "a warp's matrix instructions",
    .improves = "register_tile",
    .needs = needs_of_mma_f64,
#if CROSSWARP_HAS_MMA_F64
    .tunings = {tuning(128, 64), tuning(128, 64, 0), tuning(64, 64), tuning(32, 32), tuning(16, 128), tuning(128, 16)},
    .launch = launch_tuned,
    .instructions = {{"DMMA.16x8x8", 32}, {"LDS.64", 48}, {"LDGSTS.E.BYPASS.128", 12}},
#endif
}};

}  // namespace matmul_f64_mma_multistage
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
