// A matrix times up to 16 columns: A is read once, in 16-byte loads whatever its alignment, and B passes through shared
// memory, transposed. Bound by memory bandwidth, reading A; small products by launch and latency.
//
// A row of A starts at any multiple of 4 bytes where k is not a multiple of 4, but rows that are 4 apart start at the
// same distance from a 16-byte boundary. A block has rows of one such distance, and its k-tiles start at the boundary
// before the row.
#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f32/dispatch.hpp"
#include "backends/cuda/matmul_f32/k_shares.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_few_columns {

constexpr std::size_t max_columns = 16, max_size = std::size_t{1} << 30;  // of n, and of m and k
constexpr unsigned warps = 8, threads = 32 * warps;  // 32 threads: a warp, or half a wave of 64 lanes
constexpr unsigned min_blocks = 2;                   // resident per multiprocessor: the limit on registers
constexpr unsigned thread_rows = 4, unroll = 2;      // their product: 16-byte loads of A in flight per thread
constexpr int default_k_lanes = 8;
constexpr unsigned k_chunk = 512;          // rows of B in shared memory at a time
constexpr unsigned b_pitch = k_chunk + 4;  // spreads a row of B over the banks

/// 32 threads: k_lanes along k, each with 4 elements of thread_rows rows per load, by the others along the rows.
template <unsigned k_lanes>
struct WarpTile {
  static constexpr unsigned rows = 32 / k_lanes * thread_rows, k_step = 4 * k_lanes, k = unroll * k_step;
  static constexpr unsigned per_chunk = k_chunk / k;  ///< K-tiles whose rows of B are in shared memory.
};

struct Problem {
  const float *a, *b;
  float* c;
  int k;
  unsigned m, n;
  unsigned row_step;   ///< Rows so far apart start at the same distance from a 16-byte boundary.
  unsigned slices;     ///< Warps that share rows and split k, a power of two.
  unsigned tile_rows;  ///< Rows of C in a tile, row_step apart.
  KShares shares;
  PartialSums partials;
};

/// Sums `count` values each over the lanes whose indices differ in bits `bit` … lanes / 2. Each step halves the values:
/// a lane keeps one half, and hands the other to its partner. Returns the index of the value that ends up in values[0];
/// count / lanes values from there on are the lane's.
template <unsigned lanes, unsigned bit = 1, unsigned count, unsigned size>
__device__ unsigned sum_over_lanes(float (&values)[size]) {
  if constexpr (bit == lanes) {
    return 0;
  } else {
    static_assert(count % 2 == 0);
    constexpr unsigned half = count / 2;
    const bool is_upper = threadIdx.x & bit;
#pragma unroll
    for (unsigned i = 0; i < half; ++i) {
      const float lower = values[i], upper = values[half + i];
      const float kept = is_upper ? upper : lower, handed = is_upper ? lower : upper;
      values[i] = kept + shuffle_xor(handed, bit);
    }
    return (is_upper ? half : 0) + sum_over_lanes<lanes, 2 * bit, half>(values);
  }
}

/// Starts copies of rows l … end of B into shared memory, transposed, k_chunk of them at most; zeros in place of rows
/// before the first, and behind the end up to a whole k-tile.
template <unsigned k_tile>
__device__ void copy_b_async(const Problem& p, int l, int end, float* b_chunk) {
  const auto rows = static_cast<unsigned>(end - l);
  const unsigned count = std::min(+k_chunk, (rows + k_tile - 1) / k_tile * k_tile) * p.n;
  const unsigned missing = l < 0 ? static_cast<unsigned>(-l) * p.n : 0, present = std::min(+k_chunk, rows) * p.n;
  const float* const from = p.b + std::size_t(std::max(l, 0)) * p.n;
  const unsigned column_step = threads % p.n, k_step = threads / p.n;
  unsigned column = threadIdx.x % p.n, to = column * b_pitch + threadIdx.x / p.n;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += threads) {
    const bool is_valid = i >= missing && i < present;
    cp_async_floats<1>(b_chunk + to, is_valid ? from + (i - missing) : p.b, is_valid);
    column += column_step, to += column_step * b_pitch + k_step;
    if (column >= p.n) column -= p.n, to -= p.n * b_pitch - 1;
  }
  cp_async_commit_group();
}

template <unsigned columns, unsigned k_lanes>
__global__ void __launch_bounds__(threads, min_blocks) gemm_few_columns(Problem p) {
  using Tile = WarpTile<k_lanes>;
  // Columns from n on are multiplied as they are, and never stored.
  alignas(16) __shared__ float b_chunk[columns * b_pitch];
  __shared__ float sums[warps * Tile::rows * columns];
  const unsigned warp = threadIdx.x / 32, slice = warp % p.slices;
  const unsigned thread_row = warp / p.slices * Tile::rows + threadIdx.x % 32 / k_lanes * thread_rows;
  const unsigned own_k = slice * Tile::k + threadIdx.x % k_lanes * 4;

  __shared__ KRange range;  // in shared memory: accumulators and loads take most registers
  const auto residue = [&] { return range.tile % p.row_step; };
  const auto row_in = [&](unsigned tile, unsigned row) {
    return std::size_t{(tile / p.row_step * p.tile_rows + row) * p.row_step + tile % p.row_step};
  };
  const auto row_of = [&](unsigned row) { return row_in(range.tile, row); };
  const unsigned stop = p.shares.first_of(blockIdx.x + 1);
  {  // First loads into L2, a line by each thread.
    constexpr unsigned line = 128 / sizeof(float), lines = Tile::k / line;  // of a row
    const KRange of_block = p.shares.range(p.shares.first_of(blockIdx.x), stop);
    const std::size_t row = row_in(of_block.tile, thread_row + threadIdx.x % k_lanes / lines);
    const unsigned l = (of_block.begin + slice) * Tile::k + threadIdx.x % lines * line;
    if (row < p.m && l < static_cast<unsigned>(p.k)) prefetch_to_l2(p.a + row * static_cast<unsigned>(p.k) + l);
  }
  grid_dependency_wait();
  for (unsigned at = p.shares.first_of(blockIdx.x); at < stop; at += range.end - range.begin) {
    __syncthreads();  // no thread uses the range before any more
    if (threadIdx.x == 0) range = p.shares.range(at, stop);
    __syncthreads();
    const int distance = static_cast<int>(residue()) * (p.k % 4) % 4;  // of a row from the boundary before it
    const int first = static_cast<int>(range.begin * Tile::k) - distance;
    const int end = std::min(p.k, static_cast<int>(range.end * Tile::k) - distance);

    // The thread's rows from its first one on, in vectors: rows of one distance are whole vectors apart. Rows past A
    // are loaded as others before them, and never stored.
    const std::size_t own_row = row_of(thread_row);
    const auto* a = reinterpret_cast<const float4*>(
        p.a + static_cast<std::ptrdiff_t>((own_row < p.m ? own_row : residue()) * static_cast<std::size_t>(p.k)) +
        first + own_k);
    unsigned row_vectors[thread_rows];
#pragma unroll
    for (unsigned i = 0; i < thread_rows; ++i)
      row_vectors[i] = own_row + i * p.row_step < p.m
                           ? static_cast<unsigned>(std::size_t{i} * p.row_step * static_cast<unsigned>(p.k) / 4)
                           : 0;
    float acc[thread_rows * columns] = {};
#pragma unroll 1
    for (int l = first; l < end; l += static_cast<int>(p.slices * Tile::k)) {
      const int own_l = l + static_cast<int>(own_k), warp_l = own_l - static_cast<int>(own_k % Tile::k);
      const unsigned in_chunk = static_cast<unsigned>(l - first) % k_chunk;
      if (in_chunk == 0) {
        __syncthreads();  // all warps have multiplied
        copy_b_async<Tile::k>(p, l, end, b_chunk);
      }
      // All loads first, without a branch between them: none waits for another.
      float4 a_elements[thread_rows][unroll];
      if (warp_l >= 0 && warp_l + static_cast<int>(Tile::k) <= end) {
#pragma unroll
        for (unsigned i = 0; i < thread_rows; ++i)
#pragma unroll
          for (unsigned u = 0; u < unroll; ++u) a_elements[i][u] = (a + row_vectors[i])[u * k_lanes];
      } else {  // the ends of rows, element by element
#pragma unroll
        for (unsigned u = 0; u < unroll; ++u) {
          const int of_load = own_l + static_cast<int>(u * Tile::k_step);
#pragma unroll
          for (unsigned i = 0; i < thread_rows; ++i) {
            const auto* const row = reinterpret_cast<const float*>(a + row_vectors[i]);
            const auto element = [&](int e) {
              return of_load + e >= 0 && of_load + e < end ? row[static_cast<int>(u * Tile::k_step) + e] : 0.0f;
            };
            a_elements[i][u] = make_float4(element(0), element(1), element(2), element(3));
          }
        }
      }
      if (in_chunk == 0) {
        cp_async_wait_group<0>();
        __syncthreads();  // the rows of B have landed for all threads
      }
      if (warp_l < end) {
        const float* const b = b_chunk + in_chunk + own_k;
#pragma unroll
        for (unsigned u = 0; u < unroll; ++u)
#pragma unroll
          for (unsigned j = 0; j < columns; ++j) {
            const float4 v = *reinterpret_cast<const float4*>(b + j * b_pitch + u * Tile::k_step);
#pragma unroll
            for (unsigned i = 0; i < thread_rows; ++i) {
              float& sum = acc[i * columns + j];
              sum += a_elements[i][u].x * v.x;
              sum += a_elements[i][u].y * v.y;
              sum += a_elements[i][u].z * v.z;
              sum += a_elements[i][u].w * v.w;
            }
          }
      }
      a += p.slices * (Tile::k / 4);
    }

    if (at + (range.end - range.begin) >= stop) launch_dependents();  // the last range
    const unsigned own = sum_over_lanes<k_lanes, 1, thread_rows * columns>(acc);
    const unsigned tile_floats = p.tile_rows * columns;
#pragma unroll
    for (unsigned i = 0; i < thread_rows * columns / k_lanes; ++i)
      sums[slice * tile_floats + thread_row * columns + own + i] = acc[i];
    __syncthreads();
    // From here on a thread has elements of the tile.
    const Sharers sharers = p.shares.sharers(range.tile);
    const auto store = [&](unsigned i, float sum) {
      const std::size_t row = row_of(i / columns);
      const unsigned column = i % columns;
      if (row < p.m && column < p.n) p.c[row * p.n + column] = sum;
    };
    float* const slot = p.partials.slot(blockIdx.x + range.tile);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < tile_floats; i += threads) {
      float sum = 0;
      for (unsigned s = 0; s < p.slices; ++s) sum += sums[s * tile_floats + i];
      if (sharers.count == 1)
        store(i, sum);
      else
        slot[i] = sum;
    }
    if (sharers.count > 1 && is_last_block<Writers::all_threads>(p.partials.finished + range.tile, sharers.count))
      add_slots<threads>(p.partials.slot(sharers.first + range.tile), sharers.count, tile_floats, store);
  }
}

/// Tiles of many rows, one after the other for the warps of a block, read B least often. Where they do not fill the
/// device, warps split k instead, down to tiles of 16 rows. A share is a chunk of k or more.
template <unsigned columns, unsigned k_lanes>
Problem problem_of(const Queue& queue, const MatmulF32::Args& args) {
  using Tile = WarpTile<k_lanes>;
  const unsigned resident = min_blocks * static_cast<unsigned>(std::max(1, queue.device.compute_units));
  const unsigned row_step = args.k % 4 == 0 ? 1 : args.k % 2 == 0 ? 2 : 4;
  const unsigned residues = static_cast<unsigned>(std::min<std::size_t>(row_step, args.m));
  const unsigned max_distance = 4 - 4 / row_step, k_tiles = blocks_for(args.k + max_distance, Tile::k);
  for (unsigned slices = 1;; slices *= 2) {
    const unsigned tile_rows = warps / slices * Tile::rows;
    const unsigned tiles = residues * blocks_for((args.m + residues - 1) / residues, tile_rows);
    const KShares shares(tiles, k_tiles, Tile::per_chunk, resident);
    if (shares.blocks < resident && slices < std::min({+warps, +Tile::per_chunk, k_tiles})) continue;
    return {args.a.data(),
            args.b.data(),
            args.c.data(),
            static_cast<int>(args.k),
            static_cast<unsigned>(args.m),
            static_cast<unsigned>(args.n),
            residues,
            slices,
            tile_rows,
            shares,
            PartialSums(queue.workspace, shares, 1, tile_rows * columns)};
  }
}

/// Calls `use` with the columns of C, rounded up, and `k_lanes`: `[&]<unsigned columns, unsigned k_lanes>()`.
template <class Use>
void with_tile(const MatmulF32::Args& args, int k_lanes, Use&& use) {
  with_constant<4, 8, 12, 16>(static_cast<std::int64_t>((args.n + 3) / 4 * 4), [&]<unsigned columns>() {
    with_constant<8, 16>(k_lanes, [&]<unsigned k_lanes>() { use.template operator()<columns, k_lanes>(); });
  });
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args, int k_lanes) {
  std::size_t bytes = 0;
  if (args.c.empty()) return bytes;
  with_tile(args, k_lanes, [&]<unsigned columns, unsigned k_lanes>() {
    const Problem problem = problem_of<columns, k_lanes>(queue, args);
    bytes = PartialSums::bytes(problem.shares, 1, problem.tile_rows * columns);
  });
  return bytes;
}

void gemm(const Queue& queue, const MatmulF32::Args& args, int k_lanes) {
  if (args.c.empty()) return;
  with_tile(args, k_lanes, [&]<unsigned columns, unsigned k_lanes>() {
    const Problem problem = problem_of<columns, k_lanes>(queue, args);
    launch(gemm_few_columns<columns, k_lanes>, problem.shares.blocks, threads, 0, queue, problem);
  });
}

bool is_for(std::size_t m, std::size_t n, std::size_t k) { return n <= max_columns && std::max(m, k) <= max_size; }

/// As fitted to an H100: memory's rate, a share of its peak; what a warp multiplies; a shared tile's last block.
double expected_cycles(const Queue& queue, const MatmulF32::Args& args) {
  constexpr double fixed = 4600, of_column = 300, of_sharing = 7000, of_sharer = 140, of_product = 2.2,
                   share_of_peak = 0.73;
  double cycles = 0;
  with_tile(args, default_k_lanes, [&]<unsigned columns, unsigned k_lanes>() {
    const auto [tiles, k_tiles, blocks] = problem_of<columns, k_lanes>(queue, args).shares;
    const unsigned slices = problem_of<columns, k_lanes>(queue, args).slices;
    const double depth = 1.0 * tiles * k_tiles * WarpTile<k_lanes>::k / blocks / slices;
    cycles = fixed + of_column * columns + of_product * columns * depth +
             static_cast<double>(args.a.size_bytes()) /
                 (share_of_peak * queue.device.peak_per_cycle("memory", 18) * std::max(1, queue.device.compute_units));
    if (blocks > tiles) cycles += of_sharing + of_sharer * blocks / tiles;
  });
  return cycles;
}

std::size_t workspace_bytes(const Queue& queue, const MatmulF32::Args& args) {
  return workspace_bytes(queue, args, default_k_lanes);
}

void gemm(const Queue& queue, const MatmulF32::Args& args) { gemm(queue, args, default_k_lanes); }

std::size_t workspace(const Queue& queue, const MatmulF32::Args& args) {
  return workspace_bytes(queue, args, queue.tuning["k_lanes"]);
}

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  gemm(pdl_by_tuning(queue), args, queue.tuning["k_lanes"]);
}

bool applies(const Point& point) {
  const auto [m, n, k] = shape_of(point);
  return is_for(m, n, k);
}

/// k_lanes: threads along a row of A. pdl: programmatic dependent launch.
Tuning tuning(int k_lanes, int pdl = 1) { return {{{"k_lanes", k_lanes}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea = "up to 16 columns: 16-byte loads read A once at any alignment, B is transposed into shared memory",
    .bound_by = "memory bandwidth, reading A",
    .improves = "split_k",
    .tunings = {tuning(default_k_lanes), tuning(default_k_lanes, 0), tuning(16)},
    .applies = applies,
    .workspace = workspace,
    .launch = launch_tuned,
    .instructions = {{"LDG.E.128", 8}},
}};

}  // namespace matmul_f32_few_columns
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
