// Up to 32 rows of A times a matrix: B is read once, in 16-byte loads whatever its alignment, and A passes through
// shared memory, transposed. Bound by memory bandwidth, reading B, up to 16 rows; beyond by the issue of multiply-adds;
// small products by launch and latency.
//
// A row of B starts at any multiple of 4 bytes where n is not a multiple of 4, but rows that are 4 apart start at the
// same distance from a 16-byte boundary. A thread has rows of one such distance, and its columns start at the boundary.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/k_shares.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_few_rows {

constexpr std::size_t max_rows = 32, max_size = std::size_t{1} << 30;  // of m, and of n and k
constexpr unsigned max_block_rows = 16;
constexpr unsigned threads = 256;
constexpr unsigned min_blocks = 2;    // resident per multiprocessor: the limit on registers
constexpr int best_column_lanes = 0;  // by shape
constexpr unsigned k_chunk = 256;     // columns of A in shared memory at a time

/// Rows of B, column_lanes threads in each; and the window of columns that they load, 4 each.
template <unsigned column_lanes>
struct Tile {
  static constexpr unsigned window = 4 * column_lanes;
  static constexpr unsigned rows_at_once = threads / column_lanes;  ///< Of B, a multiple of 4.
  static constexpr unsigned loads = column_lanes == 32 ? 8 : 4;     ///< In flight per thread: rows of B.
  static constexpr unsigned k = loads * rows_at_once;

  static_assert(k_chunk % k == 0);
};

struct Problem {
  const float *a, *b;
  float* c;
  unsigned m, n, k;
  unsigned k_inside;       ///< Rows of B of which no vector reaches past the end of B.
  unsigned row_groups;     ///< Blocks that read the same B, each for its rows of A.
  unsigned tile_columns;   ///< Columns of C in a tile: the window, or what every row of B has of it at any alignment.
  std::size_t b_elements;  ///< Of B.
  KShares shares;
  PartialSums partials;
};

/// Starts copies of columns l … end of A into shared memory, transposed, k_chunk of them at most; zeros in place of
/// columns past A, up to whole k-tiles, and of rows past A. Each 32 threads load 32 bytes of 4 rows, and store to 32
/// banks.
template <unsigned rows, unsigned pitch>
__device__ void copy_a_async(const Problem& p, unsigned first_row, unsigned l, unsigned end, float* a_chunk) {
  constexpr unsigned k_step = threads / 32 * 8;
  const unsigned own_l = threadIdx.x / 32 * 8 + threadIdx.x % 8, own_row = threadIdx.x / 8 % 4;
  const float* const from = p.a + std::size_t{first_row + own_row} * p.k + l + own_l;
  float* const to = a_chunk + own_l * pitch + own_row;
#pragma unroll
  for (unsigned i = 0; i < k_chunk; i += k_step) {
    if (l + i >= end) break;
#pragma unroll
    for (unsigned r = 0; r < rows; r += 4) {
      const bool is_valid = l + own_l + i < p.k && first_row + own_row + r < p.m;
      cp_async_floats<1>(to + i * pitch + r, is_valid ? from + std::size_t{r} * p.k + i : p.a, is_valid);
    }
  }
  cp_async_commit_group();
}

template <unsigned rows, unsigned column_lanes>
__global__ void __launch_bounds__(threads, min_blocks) gemm_few_rows(Problem p) {
  grid_dependency_wait();
  using T = Tile<column_lanes>;
  constexpr unsigned pitch = rows % 8 == 0 ? rows + 4 : rows;  // 8 columns of A, 4 rows of each, lie in 32 banks
  alignas(16) __shared__ float a_chunk[k_chunk * pitch];
  alignas(16) __shared__ float sums[T::rows_at_once][4][T::window];
  __shared__ KRange range;  // in shared memory: accumulators and loads take most registers
  const unsigned lane = threadIdx.x % column_lanes, own_row = threadIdx.x / column_lanes;
  const auto distance_of = [&](unsigned row) { return row % 4 * (p.n % 4) % 4; };
  const unsigned row_group = blockIdx.x % p.row_groups, block = blockIdx.x / p.row_groups;

  const unsigned stop = p.shares.first_of(block + 1);
  for (unsigned at = p.shares.first_of(block); at < stop; at += range.end - range.begin) {
    __syncthreads();  // no thread uses the range before any more
    if (threadIdx.x == 0) range = p.shares.range(at, stop);
    __syncthreads();
    const unsigned first = range.begin * T::k, end = range.end * T::k;
    // The thread's element in each row of B; past the row that of the window's first column, which others have, too. In
    // row 0 the distance is 0.
    const float* b = p.b + (std::size_t{first + own_row} * p.n + range.tile * p.tile_columns - distance_of(own_row));
    if (range.tile * p.tile_columns + 4 * lane < p.n + distance_of(own_row)) b += 4 * lane;
    float acc[rows][4] = {};
#pragma unroll 1
    for (unsigned l = first; l < end; l += T::k) {
      const unsigned in_chunk = (l - first) % k_chunk;
      if (in_chunk == 0) {
        __syncthreads();  // all warps have multiplied
        copy_a_async<rows, pitch>(p, row_group * rows, l, end, a_chunk);
      }
      // All loads first, without a branch between them: none waits for another.
      float4 b_elements[T::loads];
      if (l + T::k <= p.k_inside) {
#pragma unroll
        for (unsigned i = 0; i < T::loads; ++i, b += T::rows_at_once * std::size_t{p.n})
          b_elements[i] = *reinterpret_cast<const float4*>(b);
      } else {  // the end of B, element by element
#pragma unroll
        for (unsigned i = 0; i < T::loads; ++i, b += T::rows_at_once * std::size_t{p.n}) {
          const auto left = l + i * T::rows_at_once + own_row < p.k ? p.b + p.b_elements - b : 0;
          const auto element = [&](unsigned e) { return e < left ? b[e] : 0.0f; };
          b_elements[i] = make_float4(element(0), element(1), element(2), element(3));
        }
      }
      if (in_chunk == 0) {
        cp_async_wait_group<0>();
        __syncthreads();  // the columns of A have landed for all threads
      }
      const float* const a = a_chunk + (in_chunk + own_row) * pitch;
#pragma unroll
      for (unsigned i = 0; i < T::loads; ++i) {
#pragma unroll
        for (unsigned r = 0; r < rows; r += 4) {
          // The same for all lanes of a row of B.
          const float4 v = *reinterpret_cast<const float4*>(a + i * T::rows_at_once * pitch + r);
          const float of_a[4]{v.x, v.y, v.z, v.w};
#pragma unroll
          for (unsigned j = 0; j < 4; ++j) {
            acc[r + j][0] += of_a[j] * b_elements[i].x;
            acc[r + j][1] += of_a[j] * b_elements[i].y;
            acc[r + j][2] += of_a[j] * b_elements[i].z;
            acc[r + j][3] += of_a[j] * b_elements[i].w;
          }
        }
      }
    }

    if (at + (range.end - range.begin) >= stop) launch_dependents();  // the last range
    // Sums over the rows of B, four rows of C at a time. From here on a thread has elements of the tile.
    const Sharers sharers = p.shares.sharers(range.tile);
    const auto store = [&](unsigned i, float sum) {
      const unsigned row = row_group * rows + i / T::window, column = i % T::window;
      const unsigned of_c = range.tile * p.tile_columns + column;
      if (row < p.m && of_c < p.n && column < p.tile_columns) p.c[std::size_t{row} * p.n + of_c] = sum;
    };
    const unsigned first_slot = row_group * (p.shares.blocks + p.shares.tiles) + range.tile;
    float* const slot = p.partials.slot(first_slot + block);
#pragma unroll
    for (unsigned r = 0; r < rows; r += 4) {
      __syncthreads();  // the sums of the rows before are read
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(&sums[own_row][i][4 * lane]) =
            make_float4(acc[r + i][0], acc[r + i][1], acc[r + i][2], acc[r + i][3]);
      __syncthreads();
#pragma unroll 1
      for (unsigned i = threadIdx.x; i < 4 * T::window; i += threads) {
        const unsigned column = i % T::window;
        if (column >= p.tile_columns) continue;
        float sum = 0;
#pragma unroll
        for (unsigned row = 0; row < T::rows_at_once; ++row) sum += sums[row][i / T::window][column + distance_of(row)];
        if (sharers.count == 1)
          store(r * T::window + i, sum);
        else
          slot[r * T::window + i] = sum;
      }
    }
    if (sharers.count > 1 && is_last_block<Writers::all_threads>(
                                 p.partials.finished + row_group * p.shares.tiles + range.tile, sharers.count))
      add_slots<threads>(p.partials.slot(first_slot + sharers.first), sharers.count, rows * T::window, store);
  }
}

unsigned row_groups_of(const MatmulF32::Args& args) { return blocks_for(args.m, max_block_rows); }

template <unsigned rows, unsigned column_lanes>
Problem problem_of(const Queue& queue, const MatmulF32::Args& args) {
  using T = Tile<column_lanes>;
  const unsigned resident = min_blocks * static_cast<unsigned>(std::max(1, queue.device.compute_units));
  const unsigned row_groups = row_groups_of(args);
  const bool aligned = args.n % 4 == 0;
  const unsigned tile_columns = aligned ? T::window : T::window - 4;
  const auto m = static_cast<unsigned>(args.m), n = static_cast<unsigned>(args.n), k = static_cast<unsigned>(args.k);
  const unsigned rows_at_the_end = aligned ? 0 : (3 + n - 1) / n;  // whose vectors may reach past B
  const KShares shares(blocks_for(n, tile_columns), blocks_for(k, T::k), 1, resident / row_groups);
  return {args.a.data(),
          args.b.data(),
          args.c.data(),
          m,
          n,
          k,
          k - std::min(k, rows_at_the_end),
          row_groups,
          tile_columns,
          args.b.size(),
          shares,
          PartialSums(queue.workspace, shares, row_groups, rows * T::window)};
}

/// Wide windows where the blocks of a resident grid have several k-tiles; otherwise narrow ones, which are more tiles
/// of C and fewer partial sums of each.
int column_lanes_for(const Queue& queue, const MatmulF32::Args& args) {
  const std::size_t k_tiles = std::size_t{blocks_for(args.n, Tile<32>::window)} * blocks_for(args.k, Tile<32>::k);
  constexpr std::size_t several = 4;
  const auto units = static_cast<std::size_t>(std::max(1, queue.device.compute_units));
  return row_groups_of(args) * k_tiles < several * min_blocks * units ? 8 : 32;
}

/// Calls `use` with the rows of a block, rounded up, and the threads along a row of B, 0 for the best by shape:
/// `[&]<unsigned rows, unsigned column_lanes>()`.
template <class Use>
void with_tile(const Queue& queue, const MatmulF32::Args& args, int column_lanes, Use&& use) {
  const unsigned rows = (blocks_for(args.m, row_groups_of(args)) + 3) / 4 * 4;
  with_constant<4, 8, 12, 16>(rows, [&]<unsigned rows>() {
    with_constant<8, 32>(column_lanes > 0 ? column_lanes : column_lanes_for(queue, args),
                         [&]<unsigned column_lanes>() { use.template operator()<rows, column_lanes>(); });
  });
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args, int column_lanes) {
  std::size_t bytes = 0;
  if (args.c.empty()) return bytes;
  with_tile(queue, args, column_lanes, [&]<unsigned rows, unsigned column_lanes>() {
    const Problem problem = problem_of<rows, column_lanes>(queue, args);
    bytes = PartialSums::bytes(problem.shares, problem.row_groups, rows * Tile<column_lanes>::window);
  });
  return bytes;
}

void gemm(const Queue& queue, const MatmulF32::Args& args, int column_lanes) {
  if (args.c.empty()) return;
  with_tile(queue, args, column_lanes, [&]<unsigned rows, unsigned column_lanes>() {
    const Problem problem = problem_of<rows, column_lanes>(queue, args);
    launch(gemm_few_rows<rows, column_lanes>, problem.row_groups * problem.shares.blocks, threads, 0, queue, problem);
  });
}

bool is_for(std::size_t m, std::size_t n, std::size_t k) { return m <= max_rows && std::max(n, k) <= max_size; }

/// As fitted to an H100: what a block reads and multiplies of B, and a shared tile's last block.
double expected_cycles(const Queue& queue, const MatmulF32::Args& args) {
  constexpr double fixed = 500, of_row = 320, of_sharing = 6400, of_sharer = 80, of_byte = 0.2,
                   of_byte_and_row = 0.0043;
  double cycles = 0;
  with_tile(queue, args, best_column_lanes, [&]<unsigned rows, unsigned column_lanes>() {
    using T = Tile<column_lanes>;
    const auto [tiles, k_tiles, blocks] = problem_of<rows, column_lanes>(queue, args).shares;
    const double bytes = 1.0 * tiles * k_tiles / blocks * T::k * T::window * sizeof(float);
    cycles = fixed + of_row * rows + bytes * (of_byte + of_byte_and_row * rows);
    if (blocks > tiles) cycles += of_sharing + of_sharer * blocks / tiles;
  });
  return cycles;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args) {
  return workspace_bytes(queue, args, best_column_lanes);
}

void gemm(const Queue& queue, const MatmulF32::Args& args) { gemm(queue, args, best_column_lanes); }

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return workspace_bytes(queue, args, queue.tuning["column_lanes"]);
}

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  gemm(pdl_by_tuning(queue), args, queue.tuning["column_lanes"]);
}

bool applies(const Point& point) {
  const auto [m, n, k] = shape_of(point);
  return is_for(m, n, k);
}

/// column_lanes: threads along a row of B; 0: by shape. pdl: programmatic dependent launch.
Tuning tuning(int column_lanes, int pdl = 1) { return {{{"column_lanes", column_lanes}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea = "up to 32 rows: 16-byte loads read B once at any alignment, A is transposed into shared memory",
    .bound_by = "memory bandwidth, reading B; issue of multiply-adds beyond 16 rows",
    .improves = "split_k",
    .tunings = {tuning(best_column_lanes), tuning(best_column_lanes, 0), tuning(8), tuning(32)},
    .applies = applies,
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"LDG.E.128", 8}},
}};

}  // namespace matmul_f32_few_rows
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
