// GEMV: a matrix times a vector (n = 1), or a row vector times a matrix (m = 1). No element of the matrix is used
// twice. Where its rows run along k, a group of threads computes a row's dot product; where they run along n, a block
// sums a range of columns over a range of k, and the last block of a range of columns adds the partial sums. Any shape,
// rows of any alignment. Bound by memory bandwidth; small ones by latency.
#include "backends/cuda/matmul_f16/gemv.hpp"

#include <limits>

#include "backends/cuda/device/block_reduce.hpp"
#include "backends/cuda/device/cp_async.hpp"
#include "backends/cuda/device/last_block.hpp"
#include "backends/cuda/device/with_constant.hpp"
#include "backends/cuda/matmul_f16/value_of.hpp"

namespace crosswarp::gpu {
inline namespace CROSSWARP_PLATFORM {
namespace matmul_f16_gemv {

/// Neighbouring elements, one load.
template <unsigned width>
struct alignas(2 * width) Elements {
  std::uint16_t of[width];
};

/// A row-major matrix without gaps.
struct Matrix {
  const std::uint16_t* data;
  std::size_t rows, columns;
};

constexpr unsigned dot_block = 256;

/// Loads of a thread in flight: the narrower, the more.
constexpr unsigned dot_loads(unsigned width) { return width >= 4 ? 8 : 12; }

/// Rows along k: `lanes` threads, up to a warp or the block, share one. Its elements are loaded by `width`, which
/// divides k.
template <bool bf16, unsigned width, unsigned lanes>
static __global__ void __launch_bounds__(dot_block, width >= 4 ? 2 : 4)
    dot_rows(Matrix matrix, const std::uint16_t* vector, Output c) {
  constexpr unsigned loads = dot_loads(width);
  grid_dependency_sync();
  const std::size_t row = (std::size_t{blockIdx.x} * dot_block + threadIdx.x) / lanes;
  const std::size_t valid_row = std::min(row, matrix.rows - 1), count = matrix.columns / width;
  const auto* const a = reinterpret_cast<const Elements<width>*>(matrix.data + valid_row * matrix.columns);
  const auto* const x = reinterpret_cast<const Elements<width>*>(vector);
  float sum = 0;
#pragma unroll 1
  for (std::size_t first = threadIdx.x % lanes; first < count; first += loads * lanes) {
    // Past the end, load the last element again: predicated loads would serialise.
    Elements<width> of_a[loads], of_x[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {
      of_a[i] = a[std::min(first + i * lanes, count - 1)];
      of_x[i] = x[std::min(first + i * lanes, count - 1)];
    }
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {
      float product = 0;
#pragma unroll
      for (unsigned j = 0; j < width; ++j) product += value_of<bf16>(of_a[i].of[j]) * value_of<bf16>(of_x[i].of[j]);
      sum += first + i * lanes < count ? product : 0;
    }
  }
  if constexpr (lanes == dot_block)
    sum = block_reduce<dot_block>(sum, Sum());
  else
    sum = warp_reduce<lanes>(sum, Sum());
  if (threadIdx.x % lanes == 0 && row < matrix.rows) c.store_at(row, sum);
}

constexpr unsigned combine_block = 512, combine_loads = 8, row_threads = 32;

/// Rows along n: block (x, y) sums `lanes` * width columns over `block_depth` rows, of which `lanes` threads, a power
/// of two, load one. `width` divides n. `partials`: for each split n floats.
template <bool bf16, unsigned width>
static __global__ void __launch_bounds__(combine_block, 2)
    combine_rows(Matrix matrix, const std::uint16_t* vector, unsigned lanes, std::size_t block_depth,
                 unsigned* finished, float* partials, Output c) {
  constexpr unsigned loads = combine_loads;
  __shared__ float sums[combine_block * width];
  const unsigned lane = threadIdx.x % lanes, own_row = threadIdx.x / lanes, block_rows = combine_block / lanes;
  const unsigned columns = lanes * width;
  const std::size_t n = matrix.columns, first_column = std::size_t{blockIdx.x} * columns;
  const std::size_t column = std::min(first_column + lane * width, n - width);
  const std::size_t begin = blockIdx.y * block_depth, end = std::min(begin + block_depth, matrix.rows);
  // The first loads, into L2, before grid_dependency_sync().
  for (unsigned i = 0; i < loads; ++i)
    if (const std::size_t l = begin + own_row + i * block_rows; lane * width % 64 == 0 && l < end)
      prefetch_to_l2(matrix.data + l * n + column);
  grid_dependency_sync();
  float acc[width] = {};
#pragma unroll 1
  for (std::size_t first = begin + own_row; first < end; first += loads * block_rows) {
    Elements<width> elements[loads];
    std::uint16_t factors[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) {  // as above
      const std::size_t l = std::min(first + i * block_rows, end - 1);
      elements[i] = *reinterpret_cast<const Elements<width>*>(matrix.data + l * n + column);
      factors[i] = vector[l];
    }
#pragma unroll
    for (unsigned i = 0; i < loads; ++i)
#pragma unroll
      for (unsigned j = 0; j < width; ++j)
        acc[j] += first + i * block_rows < end ? value_of<bf16>(factors[i]) * value_of<bf16>(elements[i].of[j]) : 0;
  }
#pragma unroll
  for (unsigned j = 0; j < width; ++j) sums[own_row * columns + lane * width + j] = acc[j];
  // From here on a thread has one column, of which it adds every `sharing`th row, and split.
  const unsigned own = threadIdx.x % columns, share = threadIdx.x / columns, sharing = combine_block / columns;
  const std::size_t own_column = first_column + own;
  const bool is_valid = own_column < n;
  // Returns in the first of a column's threads the sum over all of them.
  const auto add_shares = [&](float sum) {
    __syncthreads();  // none reads what is written over
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned other = 1; share == 0 && other < sharing; ++other) sum += sums[other * columns + own];
    return sum;
  };
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (unsigned i = 0; i < width; ++i) sum += sums[(share + i * sharing) * columns + own];
  sum = add_shares(sum);
  const bool stores = is_valid && share == 0;
  if (gridDim.y == 1) {
    if (stores) c.store_at(own_column, sum);
    return;
  }
  if (stores) partials[blockIdx.y * n + own_column] = sum;
  if (!is_last_block<Writers::all_threads>(finished + blockIdx.x, gridDim.y)) return;
  sum = 0;
  if (is_valid)
#pragma unroll 8
    for (unsigned split = share; split < gridDim.y; split += sharing)
      sum += load_coherent(partials + split * n + own_column);
  sum = add_shares(sum);
  if (stores) c.store_at(own_column, sum);
}

/// The matrix, and whether its rows run along k.
struct Problem {
  Matrix matrix;
  const std::uint16_t* vector;
  bool is_dot;
  unsigned width;  ///< Of loads.

  explicit Problem(const MatmulF16::Args& args)
      : matrix(args.n == 1         ? Matrix{args.a.data(), args.m, args.k}
               : args.b_transposed ? Matrix{args.b.data(), args.n, args.k}
                                   : Matrix{args.b.data(), args.k, args.n}),
        vector(args.n == 1 ? args.b.data() : args.a.data()),
        is_dot(args.n == 1 || args.b_transposed) {
    width = matrix.columns % 8 == 0 ? 8 : matrix.columns % 4 == 0 ? 4 : matrix.columns % 2 == 0 ? 2 : 1;
  }
};

/// Of combine_rows(). A block has 32 loads of columns; half as many, and so on, where multiprocessors would have no
/// block, down to `least_columns`. Where columns alone give half of the multiprocessors a block or fewer, blocks share
/// k, too, each with a pass of loads or more.
struct Splits {
  unsigned lanes, column_blocks, splits;
  std::size_t block_depth;

  Splits(const Queue& queue, const Problem& problem, std::size_t least_columns) {
    constexpr std::size_t passes_alone = 2, blocks_of_unit = 2, most = 65'535;
    const std::size_t rows = problem.matrix.rows, n = problem.matrix.columns;
    const auto units = static_cast<std::size_t>(std::max(1, queue.device.compute_units));
    lanes = row_threads;
    while (lanes * problem.width > least_columns && blocks_for(n, lanes * problem.width) < units) lanes /= 2;
    column_blocks = blocks_for(n, lanes * problem.width);
    const unsigned block_rows = combine_block / lanes;
    const std::size_t passes = blocks_for(rows, block_rows * combine_loads);
    const std::size_t wanted =
        2 * column_blocks > units || passes <= passes_alone ? 1 : blocks_of_unit * units / column_blocks;
    block_depth = blocks_for(rows, std::min({wanted, passes, most}));
    splits = blocks_for(rows, block_depth);
  }
  /// A ticket for each range of columns, before the partial sums.
  std::size_t ticket_bytes() const { return (column_blocks * sizeof(unsigned) + 127) / 128 * 128; }
};

bool is_for(std::size_t m, std::size_t n) { return m == 1 || n == 1; }

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args, std::size_t least_columns) {
  const Problem problem(args);
  if (args.c.empty() || args.k == 0 || problem.is_dot) return 0;
  const Splits plan(queue, problem, least_columns);
  return plan.splits > 1 ? plan.ticket_bytes() + plan.splits * problem.matrix.columns * sizeof(float) : 0;
}

/// Threads that share a row: the block, where a warp for each row would occupy less than a quarter of the device, or
/// where a row has two passes of loads for the block; else 32, 8 or 1, by the row's number of loads.
unsigned lanes_for(const Queue& queue, const Problem& problem) {
  constexpr std::size_t quarter_of_unit = 256;  // threads
  const auto quarter = quarter_of_unit * static_cast<std::size_t>(std::max(1, queue.device.compute_units));
  const std::size_t loads = problem.matrix.columns / problem.width;
  if (loads > 32 * dot_loads(problem.width) &&
      (problem.matrix.rows * 32 < quarter || 2 * loads > dot_block * dot_loads(problem.width)))
    return dot_block;
  return loads > 16 ? 32 : loads > 2 ? 8 : 1;
}

void gemm(const Queue& queue, const MatmulF16::Args& args, std::size_t least_columns) {
  if (finish_if_empty(queue, args)) return;
  const Problem problem(args);
  const Output c(args);
  const auto with_width = [&](auto&& use) {
    with_constant<1, 2, 4, 8>(problem.width, [&]<unsigned width>() {
      args.bf16 ? use.template operator()<true, width>() : use.template operator()<false, width>();
    });
  };
  if (problem.is_dot) {
    with_width([&]<bool bf16, unsigned width>() {
      with_constant<1, 8, 32, dot_block>(lanes_for(queue, problem), [&]<unsigned lanes>() {
        launch(dot_rows<bf16, width, lanes>, blocks_for(problem.matrix.rows, dot_block / lanes), dot_block, 0, queue,
               problem.matrix, problem.vector, c);
      });
    });
  } else {
    const Splits plan(queue, problem, least_columns);
    auto* const finished = reinterpret_cast<unsigned*>(queue.workspace.data());
    auto* const partials = reinterpret_cast<float*>(queue.workspace.data() + plan.ticket_bytes());
    with_width([&]<bool bf16, unsigned width>() {
      launch(combine_rows<bf16, width>, dim3(plan.column_blocks, plan.splits), combine_block, 0, queue, problem.matrix,
             problem.vector, plan.lanes, plan.block_depth, finished, partials, c);
    });
  }
}

/// As fitted to an H100: narrow loads are bound by their number, others by memory.
double expected_cycles(const Queue& queue, const MatmulF16::Args& args) {
  constexpr double fixed = 5000, loads_per_cycle = 3.9, share_of_peak = 0.9;  // of a multiprocessor
  if (args.c.empty() || args.k == 0 || !is_for(args.m, args.n)) return std::numeric_limits<double>::infinity();
  const Problem problem(args);
  const double elements = static_cast<double>(problem.matrix.rows) * static_cast<double>(problem.matrix.columns);
  const double loaded = elements / (loads_per_cycle * problem.width);
  const double moved = sizeof(std::uint16_t) * elements / (share_of_peak * queue.device.peak_per_cycle("memory", 18));
  return fixed + std::max(loaded, moved) / std::max(1, queue.device.compute_units);
}

/// Where rows run along n, a block's columns are not halved below these: 64 are a line of 128 bytes.
constexpr std::size_t default_columns = 64;

std::size_t workspace_bytes(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, default_columns);
}
void gemm(const Queue& queue, const MatmulF16::Args& args) { gemm(queue, args, default_columns); }

std::size_t tuned_columns(const Queue& queue) { return static_cast<std::size_t>(queue.tuning["columns"]); }
std::size_t tuned_workspace(const Queue& queue, const MatmulF16::Args& args) {
  return workspace_bytes(queue, args, tuned_columns(queue));
}
void launch_tuned(const Queue& queue, const MatmulF16::Args& args) {
  gemm(pdl_by_tuning(queue), args, tuned_columns(queue));
}

/// columns: where rows run along n, a block's columns are not halved below these. pdl: programmatic dependent launch.
Tuning tuning(int columns, int pdl = 1) { return {{{"columns", columns}, {"pdl", pdl}}}; }

const Register<MatmulF16> variant{{
    .idea = "one row or column: dot products by groups of threads, or sums of rows of B by blocks that share k",
    .bound_by = "memory bandwidth; small ones by latency",
    .improves = "skinny",
    .tunings = {tuning(64), tuning(64, 0), tuning(32), tuning(128), tuning(256)},
    .applies = [](const Point& point) { return is_for(shape_of(point).m, shape_of(point).n); },
    .workspace = tuned_workspace,
    .launch = launch_tuned,
}};

}  // namespace matmul_f16_gemv
}  // namespace CROSSWARP_PLATFORM
}  // namespace crosswarp::gpu
