// Short sums (k <= 128): one copy of all operands of a block into shared memory, one barrier, register tiles. A
// thread's columns are 32 apart, or adjacent where one vector store takes them, so that neighbouring lanes store
// neighbouring elements of C. Any shape and alignment. Bound by stores of C; from some 20 steps of k on by
// multiply-adds; small products by launch and latency.
#include <bit>
#include <limits>

#include "backends/cuda/dependent_launch.hpp"
#include "backends/cuda/matmul_f32/dispatch.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f32_small_k {

constexpr unsigned lanes = 32, row_groups = 4, threads = lanes * row_groups;

/// Rows and columns of C that a thread and its block compute in a pass. A block makes one pass or several, over the
/// same columns of B.
template <unsigned rows_of_thread, unsigned columns_of_thread>
struct Tile {
  static constexpr unsigned thread_rows = rows_of_thread, thread_columns = columns_of_thread;
  static constexpr unsigned rows = row_groups * thread_rows, columns = lanes * thread_columns;
  static constexpr unsigned a_pitch = rows + 4;  ///< Keeps vectors aligned; spreads writes along k over the banks.
  static constexpr unsigned min_blocks =
      thread_rows * thread_columns > 40 ? 3 : 5;  ///< Per multiprocessor: the limit on registers.
};

/// `count` adjacent floats, one load or store.
template <unsigned count>
struct alignas(sizeof(float) * count) Packed {
  float of[count];
};

/// Block (x, y, z) computes column tile x of C and row tile y + z · gridDim.y. Shared memory holds B as [step][column]
/// and A, transposed, as [pass][step][row]. width: adjacent columns of a lane, a divisor of n. k_shift: 2^k_shift ≥ k
/// threads copy a row of A. Requires k > 0.
template <class Tile, unsigned width>
__global__ void __launch_bounds__(threads, Tile::min_blocks)
    gemm_kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n, unsigned k, unsigned passes,
                unsigned k_shift) {
  grid_dependency_wait();
  constexpr unsigned thread_rows = Tile::thread_rows, thread_columns = Tile::thread_columns;
  constexpr unsigned pieces = thread_columns / width, stride = lanes * width;
  const std::size_t first_row = (std::size_t{blockIdx.z} * gridDim.y + blockIdx.y) * passes * Tile::rows;
  const std::size_t first_column = std::size_t{blockIdx.x} * Tile::columns;
  if (first_row >= m) return;
  const auto rows = static_cast<unsigned>(std::min<std::size_t>(m - first_row, passes * Tile::rows));
  const auto columns = static_cast<unsigned>(std::min<std::size_t>(n - first_column, Tile::columns));
  const unsigned lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
  float* const shared_b = dynamic_shared<float>();
  float* const shared_a = shared_b + k * Tile::columns;

  // All copies are in flight at once. Rows and columns past the matrix become zero: branches would cost more, because
  // the compiler computes each address anew behind them.
  const unsigned own_step = threadIdx.x & ((1u << k_shift) - 1), stride_a = threads >> k_shift;
  if (unsigned own_row = threadIdx.x >> k_shift; own_step < k && own_row < Tile::rows) {
    const unsigned copies = std::max(1u, (Tile::rows << k_shift) / threads);
    const float* pass_from = a + (first_row + own_row) * k + own_step;
    float* pass_to = shared_a + own_step * Tile::a_pitch + own_row;
#pragma unroll 1
    for (unsigned pass = 0; pass < passes; ++pass) {
      unsigned row = own_row;
      const float* from = pass_from;
      float* to = pass_to;
#pragma unroll 4
      for (unsigned i = 0; i < copies; ++i, row += stride_a, from += stride_a * k, to += stride_a)
        cp_async_floats<1>(to, from, row < rows);
      own_row += Tile::rows, pass_from += Tile::rows * k, pass_to += k * Tile::a_pitch;
    }
  }
  constexpr unsigned copy_width = width == 4 ? 4 : 1;
  const float* from_b = b + group * n + first_column + lane * copy_width;
  float* to_b = shared_b + group * Tile::columns + lane * copy_width;
#pragma unroll 1
  for (unsigned row = group; row < k; row += row_groups, from_b += row_groups * n, to_b += row_groups * Tile::columns)
#pragma unroll
    for (unsigned i = 0; i < Tile::columns; i += lanes * copy_width)
      cp_async_floats<copy_width>(to_b + i, from_b + i, i + lane * copy_width < columns);
  cp_async_commit_group();
  cp_async_wait_group<0>();
  __syncthreads();

  const unsigned column = lane * width;
  const float* pass_a = shared_a + group * thread_rows;
  float* to = c + (first_row + group * thread_rows) * n + first_column + column;
#pragma unroll 1
  for (unsigned row = group * thread_rows; row < rows; row += Tile::rows) {
    float sums[thread_rows][thread_columns] = {};
    const float* of_b = shared_b + column;
#pragma unroll 2
    for (unsigned step = 0; step < k; ++step, pass_a += Tile::a_pitch, of_b += Tile::columns) {
      Packed<4> a_elements[thread_rows / 4];
      Packed<width> b_elements[pieces];
#pragma unroll
      for (unsigned i = 0; i < thread_rows / 4; ++i)  // the same for all lanes
        a_elements[i] = *reinterpret_cast<const Packed<4>*>(pass_a + i * 4);
#pragma unroll
      for (unsigned i = 0; i < pieces; ++i) b_elements[i] = *reinterpret_cast<const Packed<width>*>(of_b + i * stride);
      // Rows, or columns, run back and forth: each multiply-add reuses an operand register of the one before it, also
      // at a turn, so that the register banks deliver two operands instead of three. ptxas allocates registers with the
      // fewest bank conflicts row by row where columns are even, else column by column.
      constexpr bool by_column = thread_columns % 2 == 1;
      constexpr unsigned length = by_column ? thread_rows : thread_columns;
#pragma unroll
      for (unsigned j = 0; j < thread_rows * thread_columns; ++j) {
        const unsigned line = j / length, across = line % 2 == 0 ? j % length : length - 1 - j % length;
        const unsigned r = by_column ? across : line, i = by_column ? line : across;
        sums[r][i] += a_elements[r / 4].of[r % 4] * b_elements[i / width].of[i % width];
      }
    }
    if (row + Tile::rows >= rows) launch_dependents();  // the last pass
    const auto store = [&](float* at, unsigned r, unsigned i) {
      Packed<width> packed;
#pragma unroll
      for (unsigned j = 0; j < width; ++j) {
        packed.of[j] = sums[r][i * width + j];
        // An addition that the compiler keeps: vectors need consecutive registers, and accumulators allocated so would
        // lie in the register bank of their operand.
        if (width > 1) packed.of[j] += 0.0f;
      }
      *reinterpret_cast<Packed<width>*>(at) = packed;
    };
    if (row + thread_rows <= rows && columns == Tile::columns) {
      float* row_of_c = to;
#pragma unroll
      for (unsigned r = 0; r < thread_rows; ++r, row_of_c += n)
#pragma unroll
        for (unsigned i = 0; i < pieces; ++i) store(row_of_c + i * stride, r, i);
    } else {  // column by column, because the compiler computes an address for each predicate within a row
#pragma unroll
      for (unsigned i = 0; i < pieces; ++i) {
        if (i * stride + column >= columns) break;
        float* at = to + i * stride;
#pragma unroll
        for (unsigned r = 0; r < thread_rows; ++r, at += n)
          if (row + r < rows) store(at, r, i);
      }
    }
    to += Tile::rows * n;
  }
}

/// Floats of shared memory.
template <class Tile>
std::size_t shared_floats(std::size_t k, unsigned passes) {
  return k * (Tile::columns + passes * Tile::a_pitch);
}

/// Adjacent columns of a lane. Tiles of other than four columns are for shapes that leave part of four idle.
template <class Tile>
unsigned width_for(const MatmulF32::Args& args) {
  if (Tile::thread_columns != 4) return 1;
  return args.n % 4 == 0 ? 4 : args.n % 2 == 0 ? 2 : 1;
}

/// Blocks that shared memory leaves room for on a multiprocessor of Hopper, up to Tile::min_blocks.
template <class Tile>
unsigned resident_blocks(std::size_t k, unsigned passes) {
  constexpr std::size_t shared_bytes = 227 << 10, reserved_bytes = 1 << 10;
  const std::size_t block_bytes = sizeof(float) * shared_floats<Tile>(k, passes) + reserved_bytes;
  return static_cast<unsigned>(std::min<std::size_t>(Tile::min_blocks, shared_bytes / block_bytes));
}

/// Expected cycles, latencies of launch and memory aside. Each of a multiprocessor's four schedulers has one warp of
/// every block and issues an instruction a cycle: a thread's copies to shared memory; for each pass and step of k its
/// multiply-adds and loads from there, or the cycles that these loads take; its stores. Latency within the last block
/// is not hidden, and where shared memory keeps blocks out, the others hide less. Costs are those of an H200.
template <class Tile>
double cycles_of(const DeviceInfo& device, const MatmulF32::Args& args, unsigned passes) {
  constexpr double rows = Tile::thread_rows, columns = Tile::thread_columns, schedulers = 4;
  constexpr double block_cycles = 200, pass_cycles = 20, copy = 4, vector_load = 2, exposed_blocks = 0.7,
                   missing_block = 0.15;
  const auto k = static_cast<double>(args.k);
  const unsigned width = width_for<Tile>(args);
  const double pieces = columns / width;
  const double issue = rows * columns + rows / 4 + pieces + 2.5;
  const double multiply = k * std::max(issue, schedulers * (vector_load * rows / 4 + columns));
  const double store = rows * (pieces + 3 + (width > 1 ? columns : 0));
  const double copy_a = copy * Tile::rows * static_cast<double>(std::bit_ceil(args.k)) / threads;
  const double copy_b = k / row_groups * (pieces + 4);
  const std::size_t row_tiles = blocks_for(args.m, passes * Tile::rows);
  const unsigned units = std::max(1, device.compute_units);
  const std::size_t all_blocks = row_tiles * blocks_for(args.n, Tile::columns);
  const double of_block = block_cycles + copy_b + passes * (pass_cycles + copy_a + multiply + store);
  const double stalls = 1 + missing_block * (Tile::min_blocks - resident_blocks<Tile>(args.k, passes));
  const double issued = (blocks_for(all_blocks, units) + exposed_blocks) * of_block * stalls;
  // A warp's store of 128 bytes that is not aligned touches five sectors, not four.
  const double stored = static_cast<double>(args.c.size_bytes()) * (1 + 0.25 / width);
  const double moved = stored / (device.peak_per_cycle("memory", 18) * units);
  return std::max(issued, moved) + std::min(issued, moved) / 4;  // the shorter of the two is not fully hidden
}

template <class Tile>
void launch_tile(const Queue& queue, const MatmulF32::Args& args, unsigned passes) {
  const unsigned row_tiles = blocks_for(args.m, passes * Tile::rows), max_y = 65'535;
  const dim3 grid(blocks_for(args.n, Tile::columns), std::min(row_tiles, max_y), blocks_for(row_tiles, max_y));
  const int k_shift = std::bit_width(args.k - 1);
  auto* kernel = gemm_kernel<Tile, 1>;
  if constexpr (Tile::thread_columns == 4) {
    if (const unsigned width = width_for<Tile>(args); width > 1)
      kernel = width == 4 ? gemm_kernel<Tile, 4> : gemm_kernel<Tile, 2>;
  }
  launch(kernel, grid, threads, sizeof(float) * shared_floats<Tile>(args.k, passes), queue, args.a.data(),
         args.b.data(), args.c.data(), args.m, args.n, args.k, passes, k_shift);
}

/// A tile as the cost model sees it.
struct TileModel {
  double (*cycles)(const DeviceInfo&, const MatmulF32::Args&, unsigned passes);
  std::size_t (*shared_floats)(std::size_t k, unsigned passes);
  void (*launch)(const Queue&, const MatmulF32::Args&, unsigned passes);
};
template <class Tile>
constexpr TileModel model() {
  return {cycles_of<Tile>, shared_floats<Tile>, launch_tile<Tile>};
}

/// Tunings tile1 … tile5.
constexpr TileModel models[]{
    model<Tile<16, 4>>(),  // 64 x 128
    model<Tile<8, 4>>(),   // 32 x 128
    model<Tile<8, 5>>(),   // 32 x 160
    model<Tile<8, 3>>(),   // 32 x 96
    model<Tile<4, 2>>(),   // 16 x 64: more blocks, each of which takes less time
};

struct Plan {
  const TileModel* tile = nullptr;
  unsigned passes = 1;
  double cycles = std::numeric_limits<double>::infinity();
};

/// The fastest by the model, of all tiles or, by its number, of one. Requires k > 0.
Plan plan(const Queue& queue, const MatmulF32::Args& args, std::size_t forced_tile) {
  constexpr unsigned max_passes = 8;
  constexpr std::size_t max_shared_bytes = 48 << 10;  // several blocks on a multiprocessor
  Plan best;
  for (const TileModel& tile : models) {
    if (forced_tile > 0 && &tile != &models[forced_tile - 1]) continue;
    for (unsigned passes = 1; passes <= max_passes; ++passes) {
      if (passes > 1 && sizeof(float) * tile.shared_floats(args.k, passes) > max_shared_bytes) break;
      if (const double cycles = tile.cycles(queue.device, args, passes); cycles < best.cycles)
        best = {&tile, passes, cycles};
    }
  }
  return best;
}

void gemm(const Queue& queue, const MatmulF32::Args& args, std::size_t forced_tile) {
  if (args.c.empty()) return;
  if (args.k == 0) return clear(queue, args.c);
  const Plan best = plan(queue, args, forced_tile);
  best.tile->launch(queue, args, best.passes);
}

double expected_cycles(const Queue& queue, const MatmulF32::Args& args) {
  // Of the launch by PDL, first loads and last stores; of what the tiles' model expects. Measured on an H100.
  constexpr double latency = 3460, measured = 1.34;
  return args.k == 0 ? 0 : latency + measured * plan(queue, args, 0).cycles;
}

void gemm(const Queue& queue, const MatmulF32::Args& args) { gemm(queue, args, 0); }

void launch_tuned(const Queue& queue, const MatmulF32::Args& args) {
  gemm(pdl_by_tuning(queue), args, static_cast<std::size_t>(queue.tuning["tile"]));
}

bool is_short(const Point& point) { return point.integer("k") <= max_k; }

/// tile 0: the cost model chooses. pdl: programmatic dependent launch.
Tuning tuning(int tile, int pdl = 1) { return {{{"tile", tile}, {"pdl", pdl}}}; }

const Register<MatmulF32> variant{{
    .idea =
        "small k: all of k in shared memory at once, register tiles whose lanes store neighbouring elements of C",
    .bound_by = "stores of C; from some 20 steps of k on multiply-adds",
    .improves = "naive_32x8",
    .tunings = {tuning(0), tuning(0, 0), tuning(1), tuning(2), tuning(3), tuning(4), tuning(5)},
    .applies = is_short,
    .launch = launch_tuned,
}};

}  // namespace matmul_f32_small_k
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
